import type { ServerResponse } from 'node:http'

/** The status of a request whose client disconnected before the response, as in the logs of nginx. No client receives it. */
const clientClosedRequest = 499

/** Returns the status of a response for logs and metrics, after it is closed. */
export function loggedStatus({ statusCode, headersSent }: ServerResponse): number {
  return headersSent || statusCode >= 500 ? statusCode : clientClosedRequest
}
