/**
 * Iterates over the values that `start` returns. Aborts the signal of `start` when the iterator is closed, also while `next()`
 * waits, and when the given signal is aborted.
 */
export function closable<Value>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => AsyncIterable<Value>,
): AsyncIterableIterator<Value> {
  const aborter = new AbortController()
  const abort = () => aborter.abort(signal?.reason)
  let isClosed = false
  const close = () => {
    isClosed = true
    aborter.abort()
    return values.return()
  }

  async function* run() {
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      yield* start(aborter.signal)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  const values = run()
  return {
    next: () =>
      values.next().catch((error) => {
        if (isClosed) return { done: true, value: undefined }
        throw error
      }),
    return: close,
    async throw(error) {
      await close()
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
