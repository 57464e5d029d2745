/** A thread entry for tests: the thread does not start. */
throw new Error('a thread that does not start')
