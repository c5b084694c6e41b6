import type { OperationKind, Relation, ResourceType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { idSchema } from '../schemas/linkage.ts'
import { attributesNames } from '../schemas/resources.ts'
import { createExample, type Resolve } from './create-example.ts'

type Members = Record<string, unknown>

/**
 * Returns an example of the request document that the service accepts, as far as the declaration determines it. Returns undefined
 * if a required value has neither a declared example nor a generated one.
 */
export function requestExample(
  kind: OperationKind,
  type: ResourceType,
  relation: Relation | null,
  state: DraftState,
): object | undefined {
  const data = relation
    ? linkageExample(relation, kind !== 'RemoveFromRelationship', state)
    : resourceExample(type, kind === 'Create' ? 'create' : 'update', state)
  return data === undefined ? undefined : { data }
}

function resourceExample(type: ResourceType, usage: 'create' | 'update', state: DraftState): Members | undefined {
  const needsId = usage === 'update' || type.id.clientId === 'required'
  const id = idExample(type, state)
  const attributes = attributesExample(type, usage, state)
  if ((needsId && id === undefined) || attributes === undefined) return undefined
  const isSufficient = usage === 'update' && Object.keys(attributes).length > 0
  const relationships = isSufficient ? {} : relationshipsExample(type, usage, state)
  return {
    type: type.name,
    ...(needsId && { id }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(Object.keys(relationships).length > 0 && { relationships }),
  }
}

/** The required attributes and those with a declared example. An update without any of them changes the first attribute. */
function attributesExample(type: ResourceType, usage: 'create' | 'update', state: DraftState): Members | undefined {
  const schema = state.components.schemas.get(state.nameOf(type) + attributesNames[usage]) as Schema | undefined
  if (!schema) return {}
  const resolve = createResolver(state)
  const example = createExample(schema, resolve) as Members | undefined
  if (usage === 'create' || !example || Object.keys(example).length > 0) return example
  const values = Object.entries(schema.properties ?? {}).map(
    ([name, part]) => [name, createExample(part, resolve)] as const,
  )
  const first = values.find(([, value]) => value !== undefined)
  return first ? Object.fromEntries([first]) : {}
}

/** The required relations and those with a declared example. */
function relationshipsExample(type: ResourceType, usage: 'create' | 'update', state: DraftState): Members {
  const shown = state.linkages.filter(
    ({ relation, usage: usedIn, required }) =>
      relation.owner === type && usedIn === usage && (required || relation.options.example !== undefined),
  )
  return Object.fromEntries(
    shown.map(({ relation }) => [relation.name, { data: linkageExample(relation, true, state) ?? null }]),
  )
}

/** The declared example, else the first related type with its example id. */
function linkageExample(relation: Relation, withPivot: boolean, state: DraftState): unknown {
  const { options, targets, toMany, cannotReplace } = relation
  if (!toMany && cannotReplace === true) return null
  if (options.example !== undefined) return options.example
  const [target] = targets
  const id = target && idExample(target, state)
  if (!target || id === undefined) return undefined
  const pivot = withPivot && relation.pivotFields.length > 0 ? pivotExample(relation, state) : {}
  const identifier = { type: target.name, id, ...(Object.keys(pivot).length > 0 && { meta: { pivot } }) }
  return toMany ? [identifier] : identifier
}

function pivotExample(relation: Relation, state: DraftState): Members {
  const name = `${state.nameOf(relation.owner, relation.name)}PivotInput`
  return (createExample(state.refer(name), createResolver(state)) as Members | undefined) ?? {}
}

/** The declared id, else 1, else an id in the format of the type. */
function idExample(type: ResourceType, state: DraftState): string | undefined {
  const { format, urlFormat } = type.id
  if (type.declaration.exampleId !== undefined) return type.declaration.exampleId
  if ((format ?? urlFormat)?.test('1') ?? true) return '1'
  return createExample(idSchema(type), createResolver(state)) as string | undefined
}

function createResolver({ components }: DraftState): Resolve {
  return (reference) => (components.schemas.get(reference.split('/').at(-1) as string) ?? {}) as Schema
}
