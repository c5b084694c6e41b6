import { pluralize } from 'inflection'
import { StartupError } from '#store'
import { type Kind, kinds } from './kinds.ts'
import { checkFieldName, toPascal } from './names.ts'

/** `!` required, `?` nullable, or nothing: the database has a default. */
export type Presence = 'required' | 'nullable' | 'default'

export interface AttributePlan {
  readonly name: string
  readonly kind: Kind
  readonly presence: Presence
  /** The values of an enum; empty otherwise. */
  readonly values: readonly string[]
  /** The words after the mark: `email:email!:unique:filter`. */
  readonly flags: ReadonlySet<Flag>
}

type Flag = (typeof flags)[number]

const flags = ['unique', 'filter', 'sort'] as const

export interface RelationPlan {
  readonly name: string
  readonly toMany: boolean
  readonly target: string
  readonly isRequired: boolean
}

export interface FieldPlans {
  readonly attributes: readonly AttributePlan[]
  readonly relations: readonly RelationPlan[]
}

export const fieldForms = `  title:string!                   required (${Object.keys(kinds).join(', ')})
  publishedAt:dateTime?           nullable
  body:text                       optional; default: empty, 0, false or now
  title:string(80)!               at most 80 characters (string, email, slug); price:decimal(12,4): digits, decimal places
  status:enum=draft,*published    one of these; default: the marked one, or the first
  email:email!:unique:filter      a unique constraint; filter[email]=…
  year:integer:sort               sort=year; dateTime and date can always be sorted by
  author:one=people               a to-one relation; author:one=people! is required
  tags:many=tags                  a to-many relation`

/** Parses fields such as `title:string!`, `status:enum=draft,published` and `author:one=people`. */
export function readFields(notations: readonly string[], entity: string): FieldPlans {
  const fields = notations.map((notation) => readField(notation, entity))
  const names = fields.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated) throw new StartupError(`Two fields are called '${repeated}'.`)
  return {
    attributes: fields.filter((field): field is AttributePlan => 'kind' in field),
    relations: fields.filter((field): field is RelationPlan => 'target' in field),
  }
}

function readField(notation: string, entity: string): AttributePlan | RelationPlan {
  const [, name = '', word = '', size, detail, mark = '', words = ''] =
    /^([^:]*):(\w*)(?:\(([\d, ]+)\))?(?:=([^!?:]*))?([!?]?)((?::\w+)*)$/.exec(notation) ?? []
  if (!word) throw new StartupError(`'${notation}' is not a field. Examples:\n${fieldForms}`)
  checkFieldName(name)
  if (word === 'one' || word === 'many') {
    if (words || size) throw new StartupError(`'${notation}' is a relation: it has no size, :unique, :filter or :sort.`)
    return toRelation(name, word, detail, mark)
  }
  const values = word === 'enum' ? readValues(name, detail) : []
  const plain = values.map((value) => value.replace(/^\*/, ''))
  const kind =
    word === 'enum'
      ? enumKind(
          `${entity}${toPascal(pluralize(name))}`,
          plain,
          values.findIndex((value) => value.startsWith('*')),
        )
      : sized(word, size, notation)
  if (!kind || (word !== 'enum' && detail !== undefined)) {
    throw new StartupError(
      `'${notation}' has an unknown kind. Kinds: ${Object.keys(kinds).join(', ')}, enum=a,b, one=type, many=type.`,
    )
  }
  const presence = ({ '!': 'required', '?': 'nullable' } as const)[mark] ?? 'default'
  if (presence === 'default' && !kind.default) {
    throw new StartupError(`'${notation}' needs a mark: '${notation}!' is required, '${notation}?' is nullable.`)
  }
  return { name, kind, presence, values: plain, flags: readFlags(words, word, presence, notation) }
}

/** Kinds whose columns have no length that an index could hold. */
const unbounded = new Set(['text', 'url', 'list', 'object'])

function readFlags(words: string, kind: string, presence: Presence, notation: string): Set<Flag> {
  const found = words.split(':').filter(Boolean)
  const unknown = found.find((word) => !(flags as readonly string[]).includes(word))
  if (unknown) throw new StartupError(`'${notation}' has an unknown word '${unknown}'. Words: ${flags.join(', ')}.`)
  if (found.length > 0 && unbounded.has(kind)) {
    throw new StartupError(`'${notation}': a ${kind} has no index. Use string(200), which has a length.`)
  }
  if (found.includes('unique') && (presence === 'default' || ['enum', 'boolean', 'ip'].includes(kind))) {
    throw new StartupError(`'${notation}': a unique field has many values and no default. Mark it with '!' or '?'.`)
  }
  return new Set(found as Flag[])
}

/** The kind with another length, or other digits. Undefined if the kind does not exist. */
function sized(word: string, size: string | undefined, notation: string): Kind | undefined {
  const kind = kinds[word]
  if (!kind || size === undefined) return kind
  const [first = 0, second = 0] = size.split(',').map(Number)
  const isDecimal = word === 'decimal' && second <= first && first <= 1000
  const isText = ['string', 'email', 'slug'].includes(word) && !size.includes(',')
  if (first < 1 || !(isDecimal || isText)) {
    throw new StartupError(`'${notation}' has an invalid size. Examples: title:string(80)!, price:decimal(12,4).`)
  }
  if (isDecimal) return { ...kind, property: `decimal('number').precision(${first}).scale(${second})`, sample: () => 0 }
  const sample = (name: string) => String(kind.sample(name)).slice(0, first)
  return { ...kind, property: `string().length(${first})`, rules: `.maxLength(${first})`, sample }
}

function toRelation(name: string, word: 'one' | 'many', target: string | undefined, mark: string): RelationPlan {
  if (!target) throw new StartupError(`'${name}:${word}' needs a related type, as in '${name}:${word}=people'.`)
  if (name === 'relationships') throw new StartupError(`A relation cannot be called '${name}': the word is reserved.`)
  if (word === 'many' && mark) throw new StartupError(`'${name}' may be empty; leave the '${mark}' out.`)
  return { name, toMany: word === 'many', target, isRequired: mark === '!' }
}

function readValues(name: string, detail = ''): string[] {
  const values = detail.split(',').map((value) => value.trim())
  const plain = values.map((value) => value.replace(/^\*/, ''))
  const isValid =
    plain.every((value) => /^[\w .-]+$/.test(value)) &&
    new Set(plain).size === plain.length &&
    values.filter((value) => value.startsWith('*')).length <= 1
  if (!isValid) throw new StartupError(`'${name}:enum' needs its values, each once: '${name}:enum=draft,published'.`)
  return values
}

/** The constant with the values of an enum, exported beside the entity. */
function enumKind(list: string, values: readonly string[], marked: number): Kind {
  return {
    property: `enum(${list})`,
    list,
    builder: 'string',
    rules: `.enum(${list})`,
    default: `default('${values[Math.max(marked, 0)]}')`,
    sample: () => values.at(-1),
  }
}
