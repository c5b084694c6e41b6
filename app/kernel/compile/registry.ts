import { noPersister, noProvider } from '../data/no-provider.ts'
import type { Store } from '../data/store.ts'
import { createBuilders, exclusiveNames } from '../declare/builders.ts'
import { createId } from '../declare/create-field.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { definitionsOf } from '../errors/declared-errors.ts'
import type { Forms } from '../errors/form-faults.ts'
import { countCodePoints } from '../lib/code-points.ts'
import { LruMap } from '../lib/lru-map.ts'
import type { EntityShape, PropertyShape } from '../schema/entity-shape.ts'
import type { EntityClass } from '../schema/entity-types.ts'
import type { Attribute, Field, Id, Modifiers, Relation } from '../schema/field.ts'
import type { DeclaredResource, IdCodec, Registry, Resource, ResourceType } from '../schema/resource-type.ts'
import type { OperationName } from '../schema/url-shape.ts'
import { methodsOfShapes, operationNames } from '../schema/url-shape.ts'
import { bindAttributes } from './bind-attributes.ts'
import { checkModifiers } from './check-modifiers.ts'
import { bindViews } from './entity-views.ts'
import { idOnlyShape, withFields } from './entityless.ts'
import { keyForms } from './key-forms.ts'
import { type ReadDeclaration, readDeclaration } from './read-declaration.ts'
import {
  checkCapabilities,
  checkChains,
  checkDeclaredLinks,
  checkKey,
  checkNames,
  checkProperties,
  checkRelations,
} from './registry-checks.ts'

interface RegistryOptions {
  readonly resources: readonly DeclaredResource[]
  readonly serverNames: readonly string[]
  readonly modifiers: readonly Modifiers[]
  /** The forms of the keys of plugins. */
  readonly forms: Forms
  readonly store: Store
}

export function compileRegistry({ resources, serverNames, modifiers, forms, store }: RegistryOptions): Registry {
  const types = new Map<string, ResourceType>()
  const failures: string[] = []
  const warnings: string[] = []
  const registry: Registry = {
    types,
    hidesFields: false,
    failures,
    warnings,
    warn: (sentence) => void warnings.push(sentence),
    fail: ({ name, file }, member, message) => {
      const subject = [name, member].filter(Boolean).join('.')
      failures.push(`${subject ? `${subject} (${file})` : file}: ${message}`)
    },
  }
  const builders = createBuilders(modifiers)
  const allForms = { ...forms, ...keyForms }
  const declarations = resources.flatMap((resource) => readDeclaration(resource, builders, allForms, registry) ?? [])
  for (const declared of bindViews(declarations, store, registry)) {
    const type = compileType(declared, store, registry)
    const other = types.get(type.name)
    if (other) registry.fail(type, null, `The type '${type.name}' is also declared in ${other.file}.`)
    else types.set(type.name, type)
  }
  for (const type of types.values()) {
    for (const name of type.servers) {
      if (serverNames.includes(name)) continue
      registry.fail(type, null, `There is no server called '${name}'.${didYouMean(name, serverNames)}`)
    }
    for (const relation of type.relations) linkRelation(relation, type, store, registry)
    if (type.shape !== idOnlyShape && !type.isStandalone) checkRelations(type, registry)
  }
  const exclusive = exclusiveNames(modifiers)
  for (const type of types.values()) {
    checkChains(type, registry)
    checkModifiers(type, exclusive, registry)
  }
  return registry
}

function compileType({ file, resource, fields }: ReadDeclaration, store: Store, registry: Registry): ResourceType {
  const { entity, declaration } = resource
  const ids = fields.filter((field): field is Id => field.role === 'id')
  const relations = fields.filter((field): field is Relation => field.role === 'relation')
  const described = (entity ? store.describe(entity) : declaration.provider?.shape) ?? idOnlyShape
  const shape = entity ? described : withFields(described, fields)
  const declared = ids[0] ?? createId()
  const generate = declared.generate ?? (declared.generated ? declared.generator : null)
  const id: Id = { ...declared, property: shape.key, generate }
  const operations = readOperations(declaration, entity === null)
  const type: ResourceType = {
    name: declaration.type,
    uriType: declaration.uriType ?? declaration.type,
    file,
    entity: entity ?? (class {} as EntityClass<object>),
    isStandalone: entity === null,
    shape,
    servers: [declaration.server ?? 'default'].flat(),
    operations,
    methods: methodsOfShapes(operations),
    id,
    attributes: fields.filter((field): field is Attribute => field.role === 'attribute'),
    relations,
    fields: new Map<string, Field>(fields.map((field) => [field.name, field])),
    hiddenForSome: fields.filter(
      (field): field is Attribute | Relation => field.role !== 'id' && field.hiddenFor !== null,
    ),
    relationsBySegment: new Map(relations.map((relation) => [relation.segment, relation])),
    emitsSelfLink: declaration.emitsSelfLink ?? true,
    describesIdentifiers: false,
    needs: [],
    linkColumns: [],
    writer: null,
    filtersRowsAfterRead: false,
    steps: null as never, // `addTypeSteps` sets the steps when all declarations are valid
    mayBeScoped: true,
    rowFilterReason: null,
    declaredModifiers: [],
    errors: definitionsOf(declaration.errors),
    actions: [],
    lookups: [],
    uniques: [],
    uniqueAmong: null,
    deletedValues: null,
    secretResponses: [],
    defaultFields: null,
    defaultSort: [],
    declaration,
    shown: new LruMap(),
    provider: declaration.provider ?? (entity ? store.provider : noProvider),
    persister: declaration.persister ?? (entity ? store.persister : noPersister),
    codec: idCodec(id, shape.properties.get(shape.key)),
  }
  if (ids.length !== 1) registry.fail(type, null, `A resource has exactly one id field; this one has ${ids.length}.`)
  checkKey(type, registry)
  checkGenerated(type, registry)
  if (declaration.readOnly && declaration.operations?.length) {
    registry.fail(type, null, "Declare either 'readOnly' or 'operations', not both.")
  }
  checkNames(type, fields, registry)
  checkDeclaredLinks(type, registry)
  for (const attribute of type.attributes) clearMissingProperty(attribute, shape)
  bindAttributes(
    type.attributes.filter(({ on }) => !on),
    shape.properties,
    (member, message) => registry.fail(type, member, message),
  )
  if (entity && shape === idOnlyShape) registry.fail(type, null, `No entity.ts exports the entity ${entity.name}.`)
  else checkProperties(type, registry)
  checkCapabilities(type, registry)
  overrideAttributes(type, registry)
  return type
}

/** `generated()` needs a format with a generator, whose ids `matchAs()` accepts. */
function checkGenerated(type: ResourceType, registry: Registry): void {
  const { generated, generator, wire, urlFormat } = type.id
  if (!generated) return
  if (!generator) {
    const message = 'generated() needs a format that can make ids by itself: uuid(), uuid(4), uuid(7) or ulid().'
    registry.fail(type, 'id', message)
  } else if (!wire && urlFormat && !urlFormat.test(generator())) {
    registry.fail(type, 'id', 'generated() makes ids that matchAs() rejects.')
  }
}

function readOperations(
  { operations, readOnly }: Resource['declaration'],
  isStandalone: boolean,
): ReadonlySet<OperationName> {
  if (operations === 'none') return new Set()
  if (readOnly) return new Set<OperationName>(['FetchCollection', 'FetchOne'])
  return new Set(operations?.length ? operations : isStandalone ? [] : operationNames)
}

function linkRelation(relation: Relation, owner: ResourceType, store: Store, registry: Registry): void {
  relation.owner = owner
  relation.pivotShape = relation.pivotEntity && store.describe(relation.pivotEntity)
  bindAttributes(relation.pivotFields, relation.pivotShape?.properties ?? new Map(), (member, message) =>
    registry.fail(owner, `${relation.name}.${member}`, message),
  )
  relation.targets = relation.targetNames.flatMap((name) => registry.types.get(name) ?? [])
  relation.target = relation.targets[0] as ResourceType
  if (relation.identifierMeta) for (const type of [owner, ...relation.targets]) type.describesIdentifiers = true
  for (const name of relation.targetNames) {
    const target = registry.types.get(name)
    if (!target) {
      const suggestion = didYouMean(name, registry.types.keys())
      registry.fail(owner, relation.name, `There is no resource type '${name}'.${suggestion}`)
    } else if (target.servers.length === 0) registry.fail(owner, relation.name, `No server offers the type '${name}'.`)
  }
}

/** Sets the property of an attribute to null if functions read or write it and the entity has no such property. */
function clearMissingProperty(attribute: Attribute, shape: EntityShape): void {
  const { name, property, on, children, extract, serialize, fill } = attribute
  const isMissing = property === name && !on && !shape.properties.has(name)
  if (isMissing && (extract || serialize || fill)) attribute.property = null
  for (const child of children) clearMissingProperty(child, shape)
}

/** Applies the functions of a serializer to the declared attributes. */
function overrideAttributes(type: ResourceType, registry: Registry): void {
  for (const [name, read] of Object.entries(type.declaration.serializer?.attributes ?? {})) {
    const field = type.fields.get(name)
    if (field?.role === 'attribute') field.serialize = read as NonNullable<Attribute['serialize']>
    else {
      const suggestion = didYouMean(name, type.fields.keys())
      registry.fail(type, name, `The serializer renders an attribute that is not declared.${suggestion}`)
    }
  }
}

function withoutPadding(key: unknown): string {
  return String(key ?? '').replace(/ +$/, '')
}

/** Checks the format before decoding. A key that the column cannot hold is invalid. */
function idCodec({ format, urlFormat, wire }: Id, column: PropertyShape | undefined): IdCodec {
  const maxLength = column?.maxLength ?? Number.POSITIVE_INFINITY
  return {
    accepts: (text) => text !== '' && format?.test(text) !== false && urlFormat?.test(text) !== false,
    encode: wire ? (key) => wire.encode(key) : column?.isPadded ? withoutPadding : (key) => String(key ?? ''),
    decode(text) {
      if (text === '' || format?.test(text) === false || urlFormat?.test(text) === false) return undefined
      const key = wire ? wire.decode(text) : text
      if (key === null || key === undefined) return undefined
      const stored = String(key)
      if (stored.length > maxLength && countCodePoints(stored) > maxLength) return undefined
      // Keys are compared as texts, also with those of rows.
      return column?.parse(column.isPadded ? stored + ' '.repeat(maxLength - countCodePoints(stored)) : stored)
    },
  }
}
