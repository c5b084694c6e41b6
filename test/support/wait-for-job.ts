import type { Client, ClientResponse } from './client.ts'
import { eventually } from './eventually.ts'

/** Polls an export job until it redirects to its result, and returns the redirect. */
export async function waitForJob(client: Client, id: string): Promise<ClientResponse> {
  const response = await eventually(async () => {
    const current = await client.get(`/export-jobs/${id}`)
    return current.status === 200 ? null : current
  })
  return response as ClientResponse
}
