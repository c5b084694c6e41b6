import type { Attribute, AttributeKind, FieldDefinition, Id, Relation, RelationKind } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

function createField(name: string): FieldDefinition {
  return {
    name,
    property: name,
    options: {},
    modifiers: [],
    ignoredModifiers: [],
    faults: [],
    hidden: false,
    hiddenFor: null,
    readOnlyOnCreate: false,
    readOnlyOnUpdate: false,
  }
}

export function createAttribute(kind: AttributeKind, name: string, children: readonly Attribute[] = []): Attribute {
  return {
    role: 'attribute',
    kind,
    ...createField(name),
    property: kind === 'map' ? null : name,
    children,
    embedded: false,
    writeOnly: false,
    discriminator: 'type',
    variants: new Map(),
    values: null,
    format: null,
    timezone: 'UTC',
    infinite: false,
    fractional: false,
    sorted: null,
    on: null,
    extract: null,
    serialize: null,
    deserialize: null,
    fill: null,
    needs: null,
  }
}

export function createRelation(kind: RelationKind, name: string, types: string | readonly string[]): Relation {
  const toMany = kind === 'hasMany' || kind === 'belongsToMany' || kind === 'morphToMany'
  return {
    role: 'relation',
    kind,
    ...createField(name),
    toMany,
    targetNames: [types].flat(),
    segment: name,
    linkage: kind === 'belongsTo' || kind === 'morphTo' ? 'always' : 'lazy',
    hasLinks: true,
    hasRelatedEndpoint: true,
    hasRelationshipEndpoint: true,
    throughProperty: null,
    pivotEntity: null,
    pivotShape: null,
    pivotFields: [],
    cannotReplace: false,
    cannotAdd: false,
    cannotRemove: false,
    hasReadAbility: false,
    maxMembers: null,
    identifierMeta: null,
    inverseType: null,
    owner: undefined as unknown as ResourceType,
    targets: [],
    target: undefined as unknown as ResourceType,
  }
}

export function createId(): Id {
  return {
    role: 'id',
    name: 'id',
    property: 'id',
    modifiers: [],
    ignoredModifiers: [],
    faults: [],
    clientId: 'forbidden',
    format: null,
    schemaFormat: null,
    urlFormat: null,
    generate: null,
    generated: false,
    generator: null,
    wire: null,
  }
}
