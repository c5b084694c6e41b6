import { localIdNotFound, resourceNotFound, resourceTypeUnacceptable, validationFailed } from '../core-errors.ts'
import { type ApiError, throwFaults } from '../errors.ts'
import type { Relation } from '../fields/definition.ts'
import type { Identifier, LinkageInput, Operation } from '../operation.ts'
import type { RelatedKey } from '../provider.ts'
import { createQuery } from '../query.ts'
import { remember } from '../remember.ts'
import type { ResourceType } from '../resource.ts'

/** Every identifier must be of the type the relation leads to. */
export function checkLinkageTypes(linkage: readonly LinkageInput[]): void {
  const faults = linkage.flatMap(({ relation, data, pointer }) => {
    if (!data || typeNamed(relation, data.type)) return []
    const context = { type: data.type, expected: relation.targetNames.map((name) => `'${name}'`).join(' or ') }
    return [resourceTypeUnacceptable(context, { source: { pointer: `${pointer}/type` } })]
  })
  throwFaults(faults)
}

/** Every identifier must have the form of an id of its type. */
export function linkageFormatFaults(linkage: readonly LinkageInput[]): ApiError[] {
  return linkage.flatMap(({ relation, data, pointer }) => {
    if (data?.id === undefined || typeNamed(relation, data.type)?.codec.accepts(data.id)) return []
    const message = `'${data.id}' does not have the form of an id of type '${data.type}'.`
    return [validationFailed({ message }, { source: { pointer: `${pointer}/id` } })]
  })
}

/** The keys of all related resources; one statement per related type says whether they are there. */
export async function resolveLinkage(
  operation: Operation,
  linkage: readonly LinkageInput[],
): Promise<Map<Relation, RelatedKey | null>> {
  const resolved = new Map<Relation, RelatedKey | null>()
  const faults: ApiError[] = []
  const wanted = new Map<ResourceType, Map<unknown, Use[]>>()
  for (const { relation, data, pointer } of linkage) {
    const type = data && (typeNamed(relation, data.type) as ResourceType)
    if (!type) {
      resolved.set(relation, null)
      continue
    }
    const key = keyOf(data, type, operation, pointer, faults)
    if (key === undefined) continue
    resolved.set(relation, { type, key })
    if (data.lid !== undefined) continue
    const keys = remember(wanted, type, () => new Map<unknown, Use[]>())
    remember(keys, key, () => []).push({ identifier: data, pointer })
  }
  for (const [type, keys] of wanted) {
    const query = createQuery({ kind: 'collection', server: operation.target.server, type }, new Set())
    query.fields.set(type.name, new Set())
    const rows = await type.provider.many(type, [...keys.keys()], query, operation.context)
    for (const row of rows) keys.delete(row[type.id.property])
    for (const uses of keys.values()) faults.push(...uses.map((use) => notFound(use.identifier, use.pointer)))
  }
  throwFaults(faults)
  return resolved
}

interface Use {
  readonly identifier: Identifier
  readonly pointer: string
}

function typeNamed({ targets }: Relation, name: string): ResourceType | undefined {
  return targets.find((type) => type.name === name)
}

function keyOf(
  data: Identifier,
  type: ResourceType,
  operation: Operation,
  pointer: string,
  faults: ApiError[],
): unknown {
  if (data.lid !== undefined) {
    const key = operation.context.unit.lids.get(lidKey(data.type, data.lid))
    if (key === undefined) faults.push(localIdNotFound({ type: data.type, lid: data.lid }))
    return key
  }
  const key = type.codec.decode(data.id as string)
  if (key === undefined) faults.push(notFound(data, pointer))
  return key
}

function notFound({ type, id = '' }: Identifier, pointer: string): ApiError {
  return resourceNotFound({ type, id }, { source: { pointer } })
}

export function lidKey(type: string, lid: string): string {
  return `${type} ${lid}`
}
