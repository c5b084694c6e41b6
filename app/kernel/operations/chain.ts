import { relatedAttributeOwnerMissing } from '../core-errors.ts'
import type { Attribute, Relation } from '../fields/definition.ts'
import type { Operation } from '../operation.ts'
import type { ResourceType } from '../resource.ts'

type Entity = Record<string, unknown>

/** Writes a value to the object at the end of an attribute's to-one relations, which is read within its scope and locked. */
export async function writeChained(
  attribute: Attribute,
  value: unknown,
  pointer: string,
  entity: object,
  { target, context }: Operation,
): Promise<void> {
  let owner = entity as Entity
  let type: ResourceType = target.type
  for (const name of attribute.on ?? []) {
    const relation = type.fields.get(name) as Relation
    type = relation.target
    const key = (owner[relation.property as string] as Entity | null | undefined)?.[type.id.property]
    const next = key === undefined || key === null ? null : await type.persister.load(type, key, context)
    if (!next) throw relatedAttributeOwnerMissing({ attribute: attribute.name }, { source: { pointer } })
    owner = next as Entity
  }
  const values = new Map([[attribute.property as string, value]])
  await type.persister.change(type, owner, { values, fills: [], toOne: new Map() }, context)
}
