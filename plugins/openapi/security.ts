import type { OpenApiDraft } from '#openapi'
import type { Security } from './options.ts'

type Scheme = Readonly<Record<string, unknown>>

/** Adds the configured security schemes. Skips invalid schemes and requirements for them. */
export function describeSecurity(
  { schemes = {}, defaultRequirement = [] }: Security,
  { head, component }: OpenApiDraft,
): void {
  const sound = new Map(
    Object.entries(schemes).flatMap(([name, scheme]): [string, Scheme][] => {
      const whole = scheme.type === 'bearer' ? { ...scheme, type: 'http', scheme: 'bearer' } : scheme
      return isSound(whole) ? [[name, whole]] : []
    }),
  )
  for (const [name, scheme] of sound) component(name, () => scheme, 'securitySchemes')
  const demanded = defaultRequirement.filter((name) => sound.has(name))
  if (demanded.length > 0) head.security = demanded.map((name) => ({ [name]: [] }))
}

/** Whether a scheme has the members that OpenAPI requires for its type. */
function isSound({ type, scheme, name, in: place, flows, openIdConnectUrl }: Scheme): boolean {
  switch (type) {
    case 'http':
      return typeof scheme === 'string'
    case 'apiKey':
      return typeof name === 'string' && ['query', 'header', 'cookie'].includes(String(place))
    case 'oauth2':
      return typeof flows === 'object' && flows !== null
    case 'openIdConnect':
      return typeof openIdConnectUrl === 'string' && URL.canParse(openIdConnectUrl)
    default:
      return false
  }
}
