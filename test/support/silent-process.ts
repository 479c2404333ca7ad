/** A process that never says that it is ready. */
process.on('disconnect', () => process.exit(0));
