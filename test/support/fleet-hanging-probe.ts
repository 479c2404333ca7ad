/** A driver that hangs: never answers, never ends. */
setInterval(() => {}, 1000);
