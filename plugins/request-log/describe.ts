import type { OpenApiDraft } from '#openapi'

/** Describes the header X-Request-Id of every response. */
export function describeRequestIds({ operations, component, afterPlugins }: OpenApiDraft): void {
  const header = component('RequestId', () => requestId, 'headers')
  afterPlugins(() => {
    for (const { successes, errorResponses } of operations) {
      for (const success of successes.values()) success.headers = { ...success.headers, 'X-Request-Id': header }
      for (const { headers } of errorResponses.values()) headers['X-Request-Id'] = header
    }
  })
}

const requestId = {
  description: 'The id of the request in logs: the `X-Request-Id` of the request, or a generated id.',
  schema: { type: 'string' },
}
