/** A worker that ends before its engine is open. */
throw new Error('no engine here');
