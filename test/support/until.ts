import { setTimeout } from 'node:timers/promises'

/** In milliseconds. */
const patience = 50_000

/** Waits for what others bring about, and of which nobody tells. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await isSo())) {
    if (performance.now() - began > patience) throw new Error('It has not come about.')
    await setTimeout(5)
  }
}
