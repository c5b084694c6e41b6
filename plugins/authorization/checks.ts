import type { Registry, ResourceType } from '#kernel/plugin'
import { abilityOf, methodOf } from './decide.ts'
import { open, type Policy, policyClassOf } from './policy.ts'
import { needsOf, pathFault } from './rows.ts'

/** Collects what is wrong with the policy of a type and with the abilities that its declaration names. */
export function checkPolicy(type: ResourceType, policy: Policy | undefined, registry: Registry): void {
  const { declaration } = type
  if ('policy' in declaration && declaration.policy !== open && typeof declaration.policy !== 'function') {
    registry.fail(type, 'policy', "A policy is a class that extends Policy, or 'open'; check for a circular import.")
    return
  }
  checkAbilities(type, policy, registry)
  if (!policy) return
  checkNeeds(type, policy, registry)
  checkView(type, policy, registry)
}

/** Every method that may be called exists. */
function checkAbilities(type: ResourceType, policy: Policy | undefined, registry: Registry): void {
  const { declaration, operations, relations } = type
  const name = policyClassOf(declaration)?.name
  const lacks = (ability: string) => !policy || !methodOf(policy, ability)
  const where = name ? `${name} has no method` : 'there is no policy with a method'
  if (policy) {
    for (const operation of operations) {
      const ability = abilityOf(type, operation)
      if (ability !== null && lacks(ability)) {
        registry.fail(type, 'policy', `${name} has no method '${ability}' for ${operation}.`)
      }
    }
  }
  const exposed = new Set([...operations].map((operation) => abilityOf(type, operation)))
  for (const [key, named] of Object.entries(declaration.abilities ?? {})) {
    if (typeof named === 'string' && lacks(named) && !(policy && exposed.has(named))) {
      registry.fail(type, 'abilities', `'${key}' asks for '${named}', but ${where} '${named}'.`)
    }
  }
  for (const { name: relation, options } of relations) {
    for (const named of Object.values(options.security ?? {})) {
      if (lacks(named)) registry.fail(type, relation, `security() asks for '${named}', but ${where} '${named}'.`)
    }
  }
}

function checkNeeds(type: ResourceType, policy: Policy, registry: Registry): void {
  const { name, needs = {} } = policyClassOf(type.declaration) ?? {}
  if (Array.isArray(needs)) {
    registry.fail(type, 'policy', `${name}.needs names what each method reads: { view: [], update: ['owner.email'] }.`)
    return
  }
  for (const [ability, paths] of Object.entries(needs)) {
    if (!methodOf(policy, ability))
      registry.fail(type, 'policy', `${name}.needs names '${ability}', which is no method.`)
    for (const path of paths) {
      const fault = pathFault(type, path)
      if (fault) registry.fail(type, 'policy', `${name}.needs.${ability} names '${path}', but ${fault}.`)
    }
  }
}

/** A row must not be shown through a relation to a requester who cannot view it. */
function checkView(type: ResourceType, policy: Policy, registry: Registry): void {
  const { name, rowsByView } = policyClassOf(type.declaration) ?? {}
  const ability = abilityOf(type, 'FetchOne')
  if (ability === null) return
  if (!methodOf(policy, ability)) {
    if (!type.operations.has('FetchOne')) {
      registry.fail(type, 'policy', `${name} has no method '${ability}', which decides where rows are shown.`)
    }
    return
  }
  if (needsOf(type, ability).length === 0 || policy.scope || rowsByView === true) return
  registry.fail(
    type,
    'policy',
    `${name}.${ability} depends on the row: add 'scope' to keep other rows out of every statement, ` +
      `'static needs = { ${ability}: [] }' if it reads no row, or 'static rowsByView = true'.`,
  )
}
