import { phrase } from '#kernel/errors'
import { linkageModeOf } from '#kernel/operations'
import {
  type Attribute,
  type Awaitable,
  isRelationshipWrite,
  type OperationKind,
  type Relation,
  type ResourceType,
  type Validation,
} from '#kernel/plugin'
import { chainEnd } from '#kernel/queries'
import { type CompiledAttributes, compileAttributes, onCreate, onUpdate } from '../compile/compile-attributes.ts'
import { checkAttributes } from './check-attributes.ts'
import { checkCustomRules, type DueRule } from './check-custom-rules.ts'
import {
  type CompiledRelation,
  checkRequiredRelations,
  checkToMany,
  compileRelation,
  readsMembers,
} from './check-linkage.ts'
import { rejectsNull } from './not-null.ts'
import { reportFault } from './validation-context.ts'

/** The checks of the writes of a type. */
export interface TypeChecks {
  /** Null for an operation without attributes. */
  ofResource(kind: OperationKind): Validation | null
  ofLinkage(kind: OperationKind, relation: Relation): Validation | null
}

type CheckedRelations = ReadonlyMap<Relation, CompiledRelation>

export function compileType(type: ResourceType): TypeChecks {
  const relations: CheckedRelations = new Map(
    type.relations.flatMap((relation) => {
      const compiled = compileRelation(relation)
      return compiled ? [[relation, compiled]] : []
    }),
  )
  const findShape = (attribute: Attribute) => chainEnd(type, attribute)?.shape
  const onNew = compileAttributes(type.attributes, findShape, onCreate)
  const required = type.relations.filter(
    ({ options, hidden, readOnlyOnCreate }) => options.rules?.required && hidden !== true && readOnlyOnCreate !== true,
  )
  const create: Validation = { of: 'input', check: compileCheck(relations, required, onNew) }
  const compileUpdate = (): Validation => {
    const onStored = compileAttributes(type.attributes, findShape, onUpdate)
    const readsRow = onStored.readsRow || [...relations.values()].some((relation) => readsMembers(relation, 'replace'))
    return { of: readsRow ? 'row' : 'input', check: compileCheck(relations, [], onStored) }
  }
  let update: Validation | null = null
  const checkLinkage = compileCheck(relations, [], null)
  return {
    ofResource(kind) {
      if (kind === 'Create') return create
      if (kind !== 'Update') return null
      update ??= compileUpdate() // for the first plan: it takes a third of the time to compile a type
      return update
    },
    ofLinkage(kind, relation) {
      if (!isRelationshipWrite(kind)) return null
      const compiled = relations.get(relation)
      const readsRow = compiled !== undefined && readsMembers(compiled, linkageModeOf(kind))
      return { of: readsRow ? 'row' : 'input', check: checkLinkage }
    },
  }
}

/** Checks the linkage in the order of the relations, then the attributes, then the rules of the application. */
function compileCheck(
  relations: CheckedRelations,
  required: readonly Relation[],
  attributes: CompiledAttributes | null,
): Validation['check'] {
  return (operation, input, subject, faults) => {
    const { linkage } = input
    const due: DueRule[] = []
    const context = { operation, subject, faults, due }
    const checkFrom = (first: number): Awaitable<void> => {
      for (let index = first; index < linkage.length; index++) {
        const one = linkage[index] as (typeof linkage)[number]
        const compiled = relations.get(one.relation)
        const pending = compiled && checkToMany(one, compiled, context)
        if (pending) return pending.then(() => checkFrom(index + 1))
        if (one.data === null && rejectsNull(one.relation)) {
          reportFault(context, one.pointer, phrase("'{name}' must not be null.", { name: one.relation.name }))
        }
      }
      if (required.length > 0) checkRequiredRelations(required, linkage, context)
      if (attributes) {
        checkAttributes(attributes, {
          operation,
          basePointer: input.attributes ? '/data/attributes' : '/data',
          sent: input.attributes ?? {},
          stored: subject as Readonly<Record<string, unknown>> | null,
          row: subject,
          around: [],
          faults,
          due,
        })
      }
      if (due.length > 0) return checkCustomRules(due, context)
    }
    return checkFrom(0)
  }
}
