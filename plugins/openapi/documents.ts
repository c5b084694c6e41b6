import { isPolymorphic, type Relation, type ResourceType } from '#kernel/plugin'
import type { DescribedDocument, Schema } from '#openapi'
import { byType, linkageSchema } from './linkage.ts'
import { describeResource } from './resources.ts'
import type { Sketch } from './sketch.ts'

/** The document of one resource. */
export function documentOf(type: ResourceType, sketch: Sketch): Schema {
  return describeDocument(`${sketch.nameOf(type)}Document`, [type], describeResource(type, sketch), 'resource', sketch)
}

export function collectionOf(type: ResourceType, sketch: Sketch): Schema {
  const data = { type: 'array', items: describeResource(type, sketch) }
  return describeDocument(`${sketch.nameOf(type)}Collection`, [type], data, 'collection', sketch)
}

/** The document of a related URL: a resource or null, a collection, or one of several types. */
export function relatedDocument(relation: Relation, sketch: Sketch): Schema {
  const { targets, target, toMany, owner } = relation
  if (toMany && !isPolymorphic(relation)) return collectionOf(target, sketch)
  const name = sketch.nameOf(owner, relation.name)
  const one = byType(targets.map((type) => [type, describeResource(type, sketch)]))
  return toMany
    ? describeDocument(`${name}RelatedCollection`, targets, { type: 'array', items: one }, 'collection', sketch)
    : describeDocument(`${name}RelatedDocument`, targets, { anyOf: [one, { type: 'null' }] }, 'resource', sketch)
}

/** The document with the linkage of a relationship. */
export function relationshipDocument(relation: Relation, sketch: Sketch): Schema {
  const name = `${sketch.nameOf(relation.owner, relation.name)}RelationshipDocument`
  const data = linkageSchema(relation, 'shown', sketch)
  return describeDocument(name, relation.targets, data, relation.toMany ? 'identifiers' : 'identifier', sketch)
}

/** The document with `data: null`. */
export function emptyDocument(sketch: Sketch): Schema {
  return describeDocument('EmptyDocument', [], { type: 'null' }, 'nothing', sketch)
}

/** Adds a document component; plugins may add members. */
function describeDocument(
  name: string,
  types: readonly ResourceType[],
  data: Schema,
  kind: DescribedDocument['data'],
  sketch: Sketch,
): Schema {
  return sketch.component(name, () => {
    const schema = {
      type: 'object',
      properties: {
        data,
        links: { ...sketch.refer('Links'), required: ['self'] },
        jsonapi: sketch.refer('JsonApi'),
      },
      required: ['data', 'links', 'jsonapi'],
    }
    const total = { type: 'integer', minimum: 0, description: 'The size of the whole, where it is known.' }
    const isList = kind === 'collection' || kind === 'identifiers'
    sketch.documents.push({ name, data: kind, types, schema, meta: isList ? { total } : {} })
    return schema
  })
}
