import type { OpenApiDraft } from '#openapi'

/** Describes the RateLimit headers of all responses and the status 429, if a limit is set. */
export function describeRateLimit({ app, operations, component, refer, afterPlugins }: OpenApiDraft): void {
  if (!app.config.variables.RATE_LIMIT) return
  const limit = {
    RateLimit: component('RateLimit', () => remaining, 'headers'),
    'RateLimit-Policy': component('RateLimitPolicy', () => policy, 'headers'),
  }
  for (const operation of operations) operation.addErrors(429).headers['Retry-After'] = refer('RetryAfter', 'headers')
  afterPlugins(() => {
    for (const { successes, errorResponses } of operations) {
      for (const success of successes.values()) success.headers = { ...success.headers, ...limit }
      for (const { headers } of errorResponses.values()) Object.assign(headers, limit)
    }
  })
}

const remaining = {
  description: 'Remaining requests (`r`), and seconds until the window ends (`t`).',
  schema: { type: 'string', examples: ['"default";r=99;t=60'] },
}
const policy = {
  description: 'Requests (`q`) in a window of seconds (`w`).',
  schema: { type: 'string', examples: ['"default";q=100;w=60'] },
}
