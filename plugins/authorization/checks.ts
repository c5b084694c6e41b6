import type { Registry, ResourceType } from '#kernel/plugin'
import { toAbility } from './abilities.ts'
import { findMethod } from './decide.ts'
import { open, type Policy, readPolicyClass } from './policy.ts'
import { listNeeds, pathFault } from './rows.ts'

/** Reports every fault in the policy of a type and in the abilities that its declaration names. The application does not start then. */
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

/** Reports abilities without a method: at run time they would deny every request. */
function checkAbilities(type: ResourceType, policy: Policy | undefined, registry: Registry): void {
  const { declaration, operations, relations } = type
  const name = readPolicyClass(declaration)?.name
  const lacksMethod = (ability: string) => !policy || !findMethod(policy, ability)
  const reason = name ? `${name} has no such method` : 'the type has no policy'
  const required = new Map([...operations].map((operation) => [operation, toAbility(type, operation)]))
  if (policy) {
    for (const [operation, ability] of required) {
      if (ability === null || !lacksMethod(ability)) continue
      registry.fail(type, 'policy', `${name} has no method '${ability}' for ${operation}.`)
    }
  }
  const reported = new Set(policy ? required.values() : [])
  for (const [key, ability] of Object.entries(declaration.abilities ?? {})) {
    if (typeof ability !== 'string' || !lacksMethod(ability) || reported.has(ability)) continue
    registry.fail(type, 'abilities', `'${key}' requires the method '${ability}', but ${reason}.`)
  }
  for (const { name: relation, options } of relations) {
    for (const ability of Object.values(options.security ?? {})) {
      if (!lacksMethod(ability)) continue
      registry.fail(type, relation, `security() requires the method '${ability}', but ${reason}.`)
    }
  }
}

/** Reports actions whose ability is no method of the policy: they would be denied to every requester. */
export function checkActions(type: ResourceType, policy: Policy, registry: Registry): void {
  const name = readPolicyClass(type.declaration)?.name
  for (const { name: action, ability } of type.actions) {
    if (findMethod(policy, ability)) continue
    // A plugin may add an action for a key, such as history: true.
    const isKey = Object.entries(type.declaration).some(([key, value]) => key === action && value === true)
    if (isKey) registry.fail(type, action, `${name} has no method '${ability}' for ${action}: true.`)
    else registry.fail(type, 'actions', `${name} has no method '${ability}' for the action '${action}'.`)
  }
}

/** Reports methods that do not exist and columns that cannot be loaded. */
function checkNeeds(type: ResourceType, policy: Policy, registry: Registry): void {
  const { name, needs = {} } = readPolicyClass(type.declaration) ?? {}
  if (Array.isArray(needs)) {
    registry.fail(type, 'policy', `${name}.needs lists columns by method: { view: [], update: ['owner.email'] }.`)
    return
  }
  for (const [ability, paths] of Object.entries(needs)) {
    if (!findMethod(policy, ability)) {
      registry.fail(type, 'policy', `${name}.needs names '${ability}', but ${name} has no such method.`)
    }
    for (const path of paths) {
      const fault = pathFault(type, path)
      if (fault) registry.fail(type, 'policy', `${name}.needs.${ability} names '${path}', but ${fault}.`)
    }
  }
}

/**
 * Reports a `view` that depends on the row when no `scope` keeps denied rows out of statements. `rowsByView` accepts
 * filtering in the application instead, which excludes counts, cursors and filters through the type.
 */
function checkView(type: ResourceType, policy: Policy, registry: Registry): void {
  const { name, rowsByView } = readPolicyClass(type.declaration) ?? {}
  const ability = toAbility(type, 'FetchOne')
  if (ability === null) return
  if (!findMethod(policy, ability)) {
    if (!type.operations.has('FetchOne')) {
      registry.fail(type, 'policy', `${name} has no method '${ability}', which decides where rows are shown.`)
    }
    return
  }
  if (listNeeds(type, ability).length === 0 || policy.scope || rowsByView === true) return
  registry.fail(
    type,
    'policy',
    `${name}.${ability} depends on the row: add 'scope' to keep other rows out of every statement, ` +
      `'static needs = { ${ability}: [] }' if it reads no row, or 'static rowsByView = true'.`,
  )
}
