/** A process that ends before it is ready. */
process.exit(4);
