import type { DescribedOperation, OpenApiDraft } from '#openapi'
import type { Security } from '../options.ts'

type Scheme = Readonly<Record<string, unknown>>

/** Adds the configured security schemes. Skips invalid schemes and requirements for them. */
export function describeSecurity(
  { schemes = {}, defaultRequirement = [] }: Security,
  { head, component }: OpenApiDraft,
): void {
  const validSchemes = new Map(
    Object.entries(schemes).flatMap(([name, scheme]): [string, Scheme][] => {
      const whole = scheme.type === 'bearer' ? { ...scheme, type: 'http', scheme: 'bearer' } : scheme
      return isValid(whole) ? [[name, whole]] : []
    }),
  )
  for (const [name, scheme] of validSchemes) component(name, () => scheme, 'securitySchemes')
  const requirements = defaultRequirement.filter((name) => validSchemes.has(name))
  if (requirements.length > 0) head.security = requirements.map((name) => ({ [name]: [] }))
}

/** Adds the empty requirement to operations that anonymous requesters may send: without it, a mock server demands a token. */
export function describeAnonymous(operations: readonly DescribedOperation[], head: OpenApiDraft['head']): void {
  if (!Array.isArray(head.security)) return
  for (const { anonymous, object } of operations) if (anonymous) object.security ??= [{}, ...head.security]
}

/** Whether a scheme has the members that OpenAPI requires for its type. */
function isValid({ type, scheme, name, in: location, flows, openIdConnectUrl }: Scheme): boolean {
  switch (type) {
    case 'http':
      return typeof scheme === 'string'
    case 'apiKey':
      return typeof name === 'string' && ['query', 'header', 'cookie'].includes(String(location))
    case 'oauth2':
      return typeof flows === 'object' && flows !== null
    case 'openIdConnect':
      return typeof openIdConnectUrl === 'string' && URL.canParse(openIdConnectUrl)
    default:
      return false
  }
}
