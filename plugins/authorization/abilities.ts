import {
  isRelationshipWrite,
  isWrite,
  type OperationKind,
  type Relation,
  type ResourceType,
  type Target,
} from '#kernel/plugin'
import { type ActionKind, abilityKeys, defaultAbilities, type Policy } from './policy.ts'

type AuthorizedTarget = Pick<Target, 'type' | 'relation' | 'action'>

// Which method of a policy authorizes what. A null ability means that the declaration switched the check off.

/** Returns the ability that authorizes an operation on a type; null if `abilities` switches the check off. */
export function toAbility({ declaration }: ResourceType, kind: Exclude<OperationKind, ActionKind>): string | null {
  const key = abilityKeys[kind]
  const override = declaration.abilities?.[key]
  return typeof override === 'boolean' ? null : (override ?? defaultAbilities[key])
}

/** Returns the ability that authorizes an operation: that of the action, of `security()` of the relation, or of the type. */
export function abilityFor(kind: OperationKind, { type, relation, action }: AuthorizedTarget): string | null {
  if (action) return action.ability
  if (kind === 'Action' || kind === 'FetchAction') throw new Error('An action operation needs an action.')
  const { read, mutate } = relation?.options.security ?? {}
  if (read !== undefined && (kind === 'FetchRelated' || kind === 'FetchRelationship')) return read
  if (mutate !== undefined && isRelationshipWrite(kind)) return mutate
  return toAbility(type, kind)
}

/** Returns the ability required on a parent before its linkage of the relation is shown. */
export function linkageReadAbility(relation: Relation): string | null {
  return relation.options.security?.read ?? toAbility(relation.owner, 'FetchRelationship')
}

/** Returns the ability required on a row that joins or leaves a many-to-many: `linkable`, else that of an update. */
export function linkAbility(type: ResourceType, policy: Policy | undefined): string | null {
  return policy?.linkable ? 'linkable' : toAbility(type, 'Update')
}

/** Returns the `mutate` abilities of relations. A write through the inverse side of a relation requires them too. */
export function mutateAbilities(relations: readonly Relation[]): readonly string[] {
  return relations.flatMap(({ options }) => options.security?.mutate ?? [])
}

/** Returns the abilities checked on every record that is loaded: `view` and the `read` abilities of relations. */
export function recordAbilities(type: ResourceType): readonly (string | null)[] {
  return [toAbility(type, 'FetchOne'), ...type.relations.flatMap(({ options }) => options.security?.read ?? [])]
}

/** Returns the abilities that decide whether a record has a link to an action. */
export function linkedAbilities({ actions }: ResourceType): readonly string[] {
  return actions.filter(({ isLinked }) => isLinked).map(({ ability }) => ability)
}

/** Returns the abilities checked on the subject of an operation; none for operations that have no subject row. */
export function subjectAbilities(kind: OperationKind, target: AuthorizedTarget): readonly (string | null)[] {
  const { type, relation, action } = target
  if (kind === 'FetchCollection' || kind === 'Create' || action?.on === 'collection') return []
  const ability = abilityFor(kind, target)
  if (relation) return isWrite(kind) ? [ability, linkageReadAbility(relation)] : [ability]
  return kind === 'Update' ? [ability, ...mutateAbilities(type.relations)] : [ability]
}
