import { once } from 'node:events'

/** Never returns: rejects when the signal is aborted, also if it was aborted before. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await once(signal, 'abort')
  signal.throwIfAborted()
}
