import type { OpenApiDraft } from '#openapi'

/** Every answer tells the id of its request. */
export function describeRequestIds({ operations, component, afterwards }: OpenApiDraft): void {
  const header = component('RequestId', () => requestId, 'headers')
  afterwards(() => {
    for (const { successes, failures } of operations) {
      for (const success of successes.values()) success.headers = { ...success.headers, 'X-Request-Id': header }
      for (const { headers } of failures.values()) headers['X-Request-Id'] = header
    }
  })
}

const requestId = {
  description: 'The id of the request, by which its traces are found: that of its own `X-Request-Id`, or a new one.',
  schema: { type: 'string' },
}
