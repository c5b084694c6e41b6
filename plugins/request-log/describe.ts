import type { OpenApiDraft } from '#openapi'

/** Describes the header X-Request-Id of every response. */
export function describeRequestIds({ operations, component, afterPlugins: afterwards }: OpenApiDraft): void {
  const header = component('RequestId', () => requestId, 'headers')
  afterwards(() => {
    for (const { successes, errorResponses: failures } of operations) {
      for (const success of successes.values()) success.headers = { ...success.headers, 'X-Request-Id': header }
      for (const { headers } of failures.values()) headers['X-Request-Id'] = header
    }
  })
}

const requestId = {
  description: 'The id of the request in logs: the `X-Request-Id` of the request, or a generated id.',
  schema: { type: 'string' },
}
