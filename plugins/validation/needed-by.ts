import type { Attribute, EntityShape, Need, PropertyShape, Registry, Relation, ResourceType } from '#kernel/plugin'
import { hasNotNullColumn } from './check/not-null.ts'
import { findFormat } from './compile/formats.ts'
import { attributeModifiers, relationModifiers } from './modifiers.ts'

/** The rules of a type that a client can send, without those that the database enforces as well. */
export function neededBy(type: ResourceType, registry: Registry): readonly Need[] {
  const { operations, attributes, relations, shape } = type
  if (!operations.has('Create') && !operations.has('Update') && !isActionInput(type, registry)) return []
  return [
    ...attributes.flatMap((attribute) => attributeNeeds(attribute, attribute.name, shape)),
    ...relations.flatMap((relation) => [
      ...toNeeds(relation.name, relationRules(relation)),
      ...relation.pivotFields.flatMap((field) =>
        attributeNeeds(field, `${relation.name}.${field.name}`, relation.pivotShape),
      ),
    ]),
  ]
}

/** Whether the fields of the type check the document of an action. */
function isActionInput(type: ResourceType, { types }: Registry): boolean {
  return [...types.values()].some(({ actions }) => actions.some(({ input }) => input === type))
}

function attributeNeeds(attribute: Attribute, member: string, shape: EntityShape | null): Need[] {
  if (attribute.readOnlyOnCreate === true && attribute.readOnlyOnUpdate === true) return []
  const { children, variants } = attribute
  const inner = [...children, ...[...variants.values()].flat()]
  return [
    ...toNeeds(member, attributeRules(attribute, shape)),
    ...inner.flatMap((child) => attributeNeeds(child, `${member}.${child.name}`, shape)),
  ]
}

function toNeeds(member: string, rules: readonly string[]): Need[] {
  if (rules.length === 0) return []
  return [{ member, ignored: [...new Set(rules)].map((rule) => `${rule}()`).join(', ') }]
}

/** `nullable()` is not a rule: without it, the column decides whether null is accepted. */
function attributeRules({ kind, property, on, ignoredModifiers }: Attribute, shape: EntityShape | null): string[] {
  const column = on || property === null ? undefined : shape?.properties.get(property)
  const declared = ignoredModifiers.filter(
    ({ name, args }) =>
      Object.hasOwn(attributeModifiers, name) && name !== 'nullable' && !isEnforced(name, args, column),
  )
  const hasFormat = findFormat(kind) && !(kind === 'uuid' && isUuid(column))
  return [...(hasFormat ? [kind] : []), ...declared.map(({ name }) => name)]
}

function isEnforced(rule: string, [argument]: readonly unknown[], column: PropertyShape | undefined): boolean {
  return rule === 'maxLength' && column?.maxLength !== undefined && column.maxLength <= Number(argument)
}

function isUuid(column: PropertyShape | undefined): boolean {
  return column !== undefined && column.parse('-') === undefined
}

function relationRules(relation: Relation): string[] {
  const isEnforced = hasNotNullColumn(relation)
  return relation.ignoredModifiers.flatMap(({ name }) =>
    Object.hasOwn(relationModifiers, name) && !(name === 'required' && isEnforced) ? [name] : [],
  )
}
