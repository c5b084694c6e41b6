import { ulid } from 'ulid'
import { v4, v7 } from 'uuid'
import { argumentFaults } from '../errors/form-faults.ts'
import type { Builders, Declared } from '../schema/builders.ts'
import type { EntityClass } from '../schema/entity-types.ts'
import type { ArgumentForms, Modifier, Modifiers } from '../schema/field.ts'
import {
  type Attribute,
  type Field,
  type Id,
  type IdentifierMeta,
  type Relation,
  relationKinds,
  scalarKinds,
  type WireId,
} from '../schema/field.ts'
import { type Rule, toRule } from '../schema/restrictions.ts'
import { argumentForms, exclusiveModifiers } from './argument-forms.ts'
import { createAttribute, createId, createRelation } from './create-field.ts'

/** Creates the builders with the modifiers of the kernel and of the enabled plugins. Other modifiers have no effect. */
export function createBuilders(modifiers: readonly Modifiers[]): Builders<never> {
  const attributes = Object.assign({}, attributeModifiers, ...modifiers.map((table) => table.attribute))
  const relations = Object.assign({}, relationModifiers, ...modifiers.map((table) => table.relation))
  const forms: ArgumentForms = Object.assign({}, argumentForms, ...modifiers.map((table) => table.arguments))
  const builders: Record<string, unknown> = { id: () => declare(createId(), idModifiers, forms) }
  relations.fields = (_: Relation, pivot: (builders: Builders<never>) => readonly Declared[]) => ({
    pivotFields: readDefinitions(pivot(builders as unknown as Builders<never>)),
  })
  for (const kind of scalarKinds) {
    builders[kind] = (name: string) => declare(createAttribute(kind, name), attributes, forms)
  }
  for (const kind of ['map', 'obj'] as const) {
    builders[kind] = (name: string, ...children: Declared[]) =>
      declare(createAttribute(kind, name, readDefinitions(children)), attributes, forms)
  }
  for (const kind of relationKinds) {
    builders[kind] = (name: string, types: string | readonly string[]) =>
      declare(createRelation(kind, name, types), relations, forms)
  }
  return builders as unknown as Builders<never>
}

/** The names of the modifiers of the kernel and of plugins, by the role of a field. */
export function modifierNames(modifiers: readonly Modifiers[]): Readonly<Record<Field['role'], readonly string[]>> {
  return {
    id: Object.keys(idModifiers),
    attribute: [attributeModifiers, ...modifiers.map((table) => table.attribute ?? {})].flatMap(Object.keys),
    relation: [
      'fields',
      ...[relationModifiers, ...modifiers.map((table) => table.relation ?? {})].flatMap(Object.keys),
    ],
  }
}

/** The lists of modifiers of the kernel and of plugins of which a field has at most one. */
export function exclusiveNames(modifiers: readonly Modifiers[]): readonly (readonly string[])[] {
  return [...exclusiveModifiers, ...modifiers.flatMap(({ exclusive = [] }) => exclusive)]
}

function declare<Definition extends Field>(
  definition: Definition,
  modifiers: Record<string, Modifier<Definition>>,
  forms: ArgumentForms,
): Declared {
  const builder: Declared = new Proxy({ definition } as unknown as Declared, {
    get(target, name) {
      if (name === 'definition' || typeof name === 'symbol') return Reflect.get(target, name)
      return (...args: unknown[]) => {
        definition.modifiers.push(name)
        const faults = modifiers[name] ? argumentFaults(name, forms[name] ?? [], args) : []
        definition.faults.push(...faults)
        if (!modifiers[name]) definition.ignoredModifiers.push({ name, args })
        else if (faults.length === 0) apply(definition, modifiers[name](definition, ...args))
        return builder
      }
    },
  })
  return builder
}

function readDefinitions(children: readonly Declared<unknown>[]): Attribute[] {
  return children.map((child) => child.definition as Attribute)
}

function apply(definition: Field, patch: Partial<Field>): void {
  const { options, ...rest } = patch as Partial<Attribute>
  Object.assign(definition, rest)
  if (options && definition.role !== 'id') Object.assign(definition.options, options)
}

// biome-ignore lint/suspicious/noExplicitAny: a predicate's arguments are typed where its modifier is declared
type When = Rule<any[]>

const idModifiers: Record<string, Modifier<Id>> = {
  allowClientId: () => ({ clientId: 'allowed' }),
  requireClientId: () => ({ clientId: 'required' }),
  uuid: (_, version?: number) => ({
    format: uuidFormat(version),
    schemaFormat: 'uuid',
    generator: uuidGenerators[version ?? 4] ?? null,
  }),
  ulid: () => ({ format: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, schemaFormat: null, generator: () => ulid() }),
  numeric: () => ({ format: /^[0-9]+$/, schemaFormat: null, generator: null }),
  pattern: (_, pattern: string | RegExp) => ({ format: anchored(pattern), schemaFormat: null, generator: null }),
  matchAs: (_, pattern: string | RegExp) => ({ urlFormat: anchored(pattern) }),
  generated: () => ({ generated: true }),
  generateUsing: (_, generate: () => unknown) => ({ generate }),
  encodeUsing: (_, wire: WireId) => ({ wire }),
}

/** The versions of UUIDs that need no input but time and chance. */
const uuidGenerators: Readonly<Record<number, () => string>> = { 4: () => v4(), 7: () => v7() }

function uuidFormat(version?: number): RegExp {
  const hex = '[0-9a-fA-F]'
  return new RegExp(`^${hex}{8}-${hex}{4}-${version ?? '[1-8]'}${hex}{3}-[89abAB]${hex}{3}-${hex}{12}$`)
}

/** Anchors a pattern at both ends. The flags `g` and `y` would make each test depend on the one before. */
function anchored(pattern: string | RegExp): RegExp {
  return typeof pattern === 'string'
    ? new RegExp(`^(?:${pattern})$`)
    : new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, ''))
}

const fieldModifiers: Record<string, Modifier<Attribute | Relation>> = {
  storedAs: (_, property: string) => ({ property }),
  readOnly: (_, when: When = true) => ({ readOnlyOnCreate: toRule(when), readOnlyOnUpdate: toRule(when) }),
  readOnlyOnCreate: (_, when: When = true) => ({ readOnlyOnCreate: toRule(when) }),
  readOnlyOnUpdate: (_, when: When = true) => ({ readOnlyOnUpdate: toRule(when) }),
  hidden: (_, when: When = true) => ({ hidden: toRule(when) }),
  hiddenFor: (_, when: Attribute['hiddenFor']) => ({ hiddenFor: typeof when === 'function' ? when : () => true }),
}

type Extract = NonNullable<Attribute['extract']>

const attributeModifiers: Record<string, Modifier<Attribute>> = {
  ...(fieldModifiers as Record<string, Modifier<Attribute>>),
  computed: () => ({ property: null }),
  computedUsing: (_, extract: Extract) => ({
    property: null,
    extract,
    readOnlyOnCreate: true,
    readOnlyOnUpdate: true,
  }),
  extractUsing: (_, extract: Extract) => ({ extract }),
  serializeUsing: (_, serialize: Extract) => ({ serialize }),
  deserializeUsing: (_, deserialize: NonNullable<Attribute['deserialize']>) => ({ deserialize }),
  fillUsing: (_, fill: NonNullable<Attribute['fill']>) => ({ fill }),
  on: (_, path: string) => ({ on: path.split('.') }),
  format: (_, format: string) => ({ format }),
  useTimezone: (_, timezone: string) => ({ timezone }),
  infinity: () => ({ infinite: true }),
  discriminator: (_, discriminator: string) => ({ discriminator }),
  variant: ({ variants }, name: string, ...children: Declared<unknown>[]) => ({
    variants: variants.set(name, readDefinitions(children)),
  }),
  sorted: () => ({ sorted: 'values' }),
  sortKeys: () => ({ sorted: 'keys' }),
  sortValues: () => ({ sorted: 'values' }),
  needs: (_, ...needs: string[]) => ({ needs }),
  writeOnly: (_, when: When = true) => ({ writeOnly: toRule(when) }),
}

const relationModifiers: Record<string, Modifier<Relation>> = {
  ...(fieldModifiers as Record<string, Modifier<Relation>>),
  withData: () => ({ linkage: 'always' }),
  withoutLinks: () => ({ hasLinks: false, linkage: 'always' }),
  withoutRelatedEndpoint: () => ({ hasRelatedEndpoint: false }),
  withoutRelationshipEndpoint: () => ({ hasRelationshipEndpoint: false }),
  withUriFieldName: (_, segment: string) => ({ segment }),
  throughProperty: (_, throughProperty: string) => ({ throughProperty }),
  inverseType: (_, inverseType: string) => ({ inverseType }),
  identifierMeta: (_, identifierMeta: IdentifierMeta) => ({ identifierMeta }),
  cannotReplace: (_, when: When = true) => ({ cannotReplace: toRule(when) }),
  cannotAdd: (_, when: When = true) => ({ cannotAdd: toRule(when) }),
  cannotRemove: (_, when: When = true) => ({ cannotRemove: toRule(when) }),
  through: (_, pivotEntity: EntityClass<object>) => ({ pivotEntity }),
}
