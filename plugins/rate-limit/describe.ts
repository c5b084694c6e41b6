import type { OpenApiDraft } from '#openapi'

/** Where a limit is set: what is left of it on every answer, and 429 beyond. */
export function describeRateLimit({ app, operations, component, refer, afterwards }: OpenApiDraft): void {
  if (!app.config.variables.RATE_LIMIT) return
  const limit = {
    RateLimit: component('RateLimit', () => left, 'headers'),
    'RateLimit-Policy': component('RateLimitPolicy', () => policy, 'headers'),
  }
  for (const operation of operations) operation.fail(429).headers['Retry-After'] = refer('RetryAfter', 'headers')
  afterwards(() => {
    for (const { successes, failures } of operations) {
      for (const success of successes.values()) success.headers = { ...success.headers, ...limit }
      for (const { headers } of failures.values()) Object.assign(headers, limit)
    }
  })
}

const left = {
  description: 'Requests that are left (`r`), and the seconds until there are more (`t`).',
  schema: { type: 'string', examples: ['"default";r=99;t=60'] },
}
const policy = {
  description: 'Requests (`q`) in a window of seconds (`w`).',
  schema: { type: 'string', examples: ['"default";q=100;w=60'] },
}
