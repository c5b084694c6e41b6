import { setTimeout } from 'node:timers/promises'
import type { Answer, Client } from './client.ts'

/** Asks for an export job again and again, and answers with what leads on to its result. */
export function untilDone(client: Client, id: string, seconds = 10): Promise<Answer> {
  return until(async () => {
    const answer = await client.get(`/export-jobs/${id}`)
    return answer.status === 200 ? undefined : answer
  }, seconds)
}

/** The first answer that is not undefined; an error when there is none in time. */
export async function until<T>(ask: () => Promise<T | undefined>, seconds = 10): Promise<T> {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await setTimeout(10)
  }
  throw new Error(`Nothing happened within ${seconds} seconds.`)
}
