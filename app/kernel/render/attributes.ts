import { codecOf, showObject } from '../codecs/codecs.ts'
import { type CodeScope, concatenation, type MemberCode, type Part } from '../lib/codegen.ts'
import { quote, write } from '../lib/json-text.ts'
import { type Attribute, childrenOf, type Row } from '../model/field.ts'
import { hasConditionalPart, hiddenTestOf, isConditional, isNeverShown } from '../model/hiding.ts'
import type { ApiRequest } from '../model/request.ts'
import { chainKey } from '../model/selection.ts'

/** An attribute as code, in which `record` and `request` are known: definitions are looked at here, never per row. */
export function attributeCode(attribute: Attribute, scope: CodeScope): MemberCode {
  const name = `${quote(attribute.name)}:`
  if (!isConditional(attribute)) return { parts: [name, { code: valueCode(attribute, scope) }], always: true }
  const value = scope.variable()
  const isThere = `(${value} = ${scope.bind(readerOf(attribute))}(record, request)) !== undefined`
  const text = concatenation([name, { code: `${scope.bind(write)}(${value})` }])
  return { parts: [{ code: `(${isThere} ? ${text} : "")` }], always: false }
}

/** The text of a value that is always there. */
function valueCode(attribute: Attribute, scope: CodeScope): string {
  const { name, extract, serialize, kind } = attribute
  const children = attribute.children.filter((child) => !isNeverShown(child))
  const written = (code: string) => `${scope.bind(write)}(${code})`
  const calling = (read: unknown) => `${scope.bind(read)}(record, request, ${JSON.stringify(name)})`
  if (serialize) return written(calling(serialize))
  if (childrenOf(attribute).some(hasConditionalPart)) return written(calling(readerOf(attribute)))
  if (kind === 'map' && !extract) return mapCode(children, scope)
  const { toWire, toText } = codecOf(attribute)
  const stored = extract ? calling(extract) : `record[${JSON.stringify(placeOf(attribute))}]`
  if (!toWire) return written(stored)
  const value = scope.variable()
  const text = toText ? `${scope.bind(toText)}(${value})` : written(`${scope.bind(toWire)}(${value})`)
  return `((${value} = ${stored}) === null || ${value} === undefined ? "null" : ${text})`
}

/** Null when nothing is stored; all children are looked at, so that each has its text. */
function mapCode(children: readonly Attribute[], scope: CodeScope): string {
  const texts = children.map((child) => ({ name: child.name, text: scope.variable(), code: valueCode(child, scope) }))
  const members = texts.flatMap(({ name, text }, index): Part[] => [
    `${index > 0 ? ',' : '{'}${quote(name)}:`,
    { code: text },
  ])
  const isEmpty = texts.map(({ text, code }) => `(${text} = ${code}) === "null"`)
  return `(${isEmpty.join(' & ') || 'true'} ? "null" : ${concatenation([...members, '}'])})`
}

/** Where a record holds the value. */
function placeOf(attribute: Attribute): string | null {
  return attribute.on ? chainKey(attribute) : attribute.property
}

/** The value in the form of the wire. Undefined leaves the member out of the JSON. */
function readerOf(attribute: Attribute): (record: Row, request: ApiRequest) => unknown {
  const { name, extract, serialize, kind } = attribute
  const place = placeOf(attribute)
  const isHidden = hiddenTestOf(attribute)
  const readChildren = attribute.children.map((child) => [child.name, readerOf(child)] as const)
  return (record, request) => {
    if (isHidden(record, request)) return undefined
    if (serialize) return serialize(record, request, name) ?? null
    if (kind === 'map' && !extract) return readMap(readChildren, record, request)
    const value = extract ? extract(record, request, name) : place === null ? undefined : record[place]
    return toWire(attribute, value, (child) => hiddenTestOf(child)(record, request))
  }
}

function readMap(
  children: readonly (readonly [string, (record: Row, request: ApiRequest) => unknown])[],
  record: Row,
  request: ApiRequest,
): Record<string, unknown> | null {
  const object: Record<string, unknown> = {}
  let stored = false
  for (const [name, read] of children) {
    const value = read(record, request)
    if (value === undefined) continue
    object[name] = value
    stored ||= value !== null
  }
  return stored ? object : null
}

/** A stored value in the form of the wire. */
export function toWire(attribute: Attribute, value: unknown, isHidden: (child: Attribute) => boolean): unknown {
  if (value === null || value === undefined) return null
  if (attribute.kind === 'obj' || attribute.kind === 'oneOf') return showObject(attribute, value, isHidden)
  const { toWire } = codecOf(attribute)
  return toWire ? toWire(value) : value
}
