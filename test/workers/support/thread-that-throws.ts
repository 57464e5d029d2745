/** A thread entry for tests: no thread comes of it. */
throw new Error('a thread that does not start')
