import type { OpenApiDraft } from '#openapi'

/** A token is asked for unless an operation says otherwise; a bad one is refused everywhere. */
export function describeBearer({ operations, head, component }: OpenApiDraft): void {
  component('bearer', () => ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }), 'securitySchemes')
  head.security ??= [{ bearer: [] }]
  for (const operation of operations) operation.fail(401).headers['WWW-Authenticate'] = challenge
}

const challenge = {
  description: 'How to say who asks.',
  schema: { type: 'string', examples: ['Bearer'] },
}
