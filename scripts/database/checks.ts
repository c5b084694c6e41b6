import { toWords } from '../make/names.ts'
import { quoted } from './columns.ts'
import type { CatalogColumn, CatalogConstraint, CatalogRelation } from './introspect.ts'
import type { AttributePlan, Remark } from './plan-types.ts'

/** The attribute that a check constraint restricts. */
interface CheckedAttribute {
  readonly property: string
  readonly column: CatalogColumn
  /** The builder of the declaration. */
  readonly builder: string | null
}

/** The unique constraint of one column. */
export function findUniqueConstraint(
  { constraints }: CatalogRelation,
  { name }: CatalogColumn,
): CatalogConstraint | undefined {
  return constraints.find(({ kind, columns }) => kind === 'unique' && columns.join() === name)
}

export function findChecks({ constraints }: CatalogRelation, { name }: CatalogColumn): CatalogConstraint[] {
  return constraints.filter(({ kind, columns }) => kind === 'check' && columns.join() === name)
}

/** Whether the default or a check of a column of times names `infinity`, so that rows have it. */
export function namesInfinity(
  { constraints }: CatalogRelation,
  { name, default: value, typeName }: CatalogColumn,
): boolean {
  const checks = constraints.filter(({ kind, columns }) => kind === 'check' && columns.includes(name))
  const definitions = [value ?? '', ...checks.map(({ definition }) => definition)]
  return timeTypes.has(typeName) && definitions.some((definition) => /'-?infinity'/i.test(definition))
}

const timeTypes = new Set(['date', 'timestamp', 'timestamptz'])

/** The check constraints that no rule of an attribute replaces. */
export function unmappedChecks(relation: CatalogRelation, attributes: readonly AttributePlan[]): Remark[] {
  const mapped = attributes.flatMap(({ property, column, mapping: { builder } }) =>
    findChecks(relation, column).filter((check) => checkRule(check, { property, column, builder }) !== null),
  )
  return relation.constraints
    .filter((constraint) => constraint.kind === 'check' && !mapped.includes(constraint) && isEnforced(constraint))
    .map(({ name, definition }) => ({
      member: `${relation.name}.${name}`,
      text: `Not a rule: PostgreSQL evaluates ${definition}, and a violation is a 422 without a pointer to the member`,
    }))
}

function isEnforced({ definition }: CatalogConstraint): boolean {
  return !definition.endsWith(' NOT ENFORCED')
}

/** The rule of a check constraint on one column: a list of values, or limits of a number. Null if it has another form. */
export function checkRule({ definition }: CatalogConstraint, attribute: CheckedAttribute): string | null {
  return valueList(definition, attribute) ?? numberLimits(definition, attribute)
}

function valueList(definition: string, { builder }: CheckedAttribute): string | null {
  if (builder !== 'string') return null
  const [, list] =
    /^CHECK \(\(+(?:"[^"]+"|\w+)\)?(?:::text)? = ANY \(\(*ARRAY\[(.+?)\]\)*(?:::text\[\])?\)+$/.exec(definition) ?? []
  const values = list?.match(/'(?:[^']|'')*'(?=::)/g)?.map((value) => value.slice(1, -1).replaceAll(`''`, `'`))
  return values?.length ? `.enum([${values.map(quoted).join(', ')}])` : null
}

const limits: Readonly<Record<string, { readonly modifier: string; readonly text: string }>> = {
  '>=': { modifier: 'min', text: 'at least' },
  '>': { modifier: 'exclusiveMin', text: 'more than' },
  '<=': { modifier: 'max', text: 'at most' },
  '<': { modifier: 'exclusiveMax', text: 'less than' },
}

/** `temperature > ('-40'::integer)::double precision` */
const comparison = /^\(*(?:"(?:[^"]|"")+"|\w+) (>=?|<=?) \(*'?(-?\d+(?:\.\d+)?)'?(?:\)*::[a-z ]+)*\)*$/

const numberTypes = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'])

/** `(quantity >= 1) AND (quantity <= 1000)`. Long decimals are strings: their rule compares a number. */
function numberLimits(definition: string, { property, column, builder }: CheckedAttribute): string | null {
  if (!numberTypes.has(column.typeName)) return null
  const [, expression = ''] = /^CHECK \((.+)\)$/s.exec(definition) ?? []
  const parts = expression.split(' AND ').map((part) => comparison.exec(part))
  if (parts.includes(null)) return null
  const rules = (parts as RegExpExecArray[]).map(([, operator = '', value = '']) => {
    const { modifier, text } = limits[operator] as (typeof limits)[string]
    if (builder === 'integer' || builder === 'decimal') return `.${modifier}(${value})`
    const sentence = `The ${toWords(property)} must be ${text} ${value}.`
    return `.rule((value) => (Number(value) ${operator} ${value} ? undefined : ${quoted(sentence)}))`
  })
  return rules.join('')
}
