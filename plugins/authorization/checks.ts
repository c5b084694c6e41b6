import type { Registry, ResourceType } from '#kernel'
import { abilityOf, methodOf } from './decide.ts'
import type { Policy } from './policy.ts'

/** Whatever is asked for must be there to be asked. */
export function checkPolicy(type: ResourceType, policy: Policy | undefined, registry: Registry): void {
  const { declaration, operations, relations } = type
  const lacks = (name: string) => !policy || !methodOf(policy, name)
  const where = declaration.policy ? `${declaration.policy.name} has no method` : 'there is no policy with a method'
  if (policy) {
    for (const operation of operations) {
      const ability = abilityOf(type, operation)
      if (ability !== null && lacks(ability)) {
        registry.fail(type, 'policy', `${declaration.policy?.name} has no method '${ability}' for ${operation}.`)
      }
    }
  }
  const exposed = new Set([...operations].map((operation) => abilityOf(type, operation)))
  for (const [key, named] of Object.entries(declaration.abilities ?? {})) {
    if (typeof named === 'string' && lacks(named) && !(policy && exposed.has(named))) {
      registry.fail(type, 'abilities', `'${key}' asks for '${named}', but ${where} '${named}'.`)
    }
  }
  for (const { name, options } of relations) {
    for (const named of Object.values(options.security ?? {})) {
      if (lacks(named)) registry.fail(type, name, `security() asks for '${named}', but ${where} '${named}'.`)
    }
  }
}
