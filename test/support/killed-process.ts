/** A process that is killed before it is ready, as the kernel does when memory is short. */
process.kill(process.pid, 'SIGKILL');
