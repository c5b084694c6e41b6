import type { ServerResponse } from 'node:http'

/** Whether the response stays open until the client disconnects: its duration says nothing about the service. */
export function isEventStream(response: ServerResponse): boolean {
  return /^text\/event-stream\b/.test(String(response.getHeader('content-type') ?? ''))
}
