import type { OpenApiDraft } from '#openapi'

/** Documents the bearer scheme as the default security, and 401 on every operation: an invalid token fails anywhere. */
export function describeBearer({ operations, head, component }: OpenApiDraft): void {
  component('bearer', () => ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }), 'securitySchemes')
  head.security ??= [{ bearer: [] }]
  for (const operation of operations) operation.addErrors(401).headers['WWW-Authenticate'] = challenge
}

const description = 'A JSON Web Token. While no key is configured, one of the development tokens.'

const challenge = {
  description: 'The authentication scheme to use.',
  schema: { type: 'string', examples: ['Bearer'] },
}
