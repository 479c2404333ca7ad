/** A driver that takes its process down. */
process.kill(process.pid, 'SIGSEGV');
