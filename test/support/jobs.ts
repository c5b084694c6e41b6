import type { Answer, Client } from './client.ts'
import { until } from './until.ts'

/** Polls an export job until it redirects to its result, and returns the redirect. */
export async function untilDone(client: Client, id: string): Promise<Answer> {
  const response = await until(async () => {
    const current = await client.get(`/export-jobs/${id}`)
    return current.status === 200 ? null : current
  })
  return response as Answer
}
