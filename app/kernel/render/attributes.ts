import { codecOf, showObject } from '../codecs/codecs.ts'
import type { ApiRequest } from '../contract/request.ts'
import { findHiddenTest } from '../contract/visibility.ts'
import { chainKey } from '../data/selection.ts'
import { type CodeScope, concatenation, type MemberCode } from '../lib/codegen.ts'
import { quote, special, write } from '../lib/json-text.ts'
import type { Attribute, Row } from '../schema/field.ts'
import { isConditional, isNeverShown } from '../schema/field-visibility.ts'

/** Generates the code of an attribute. The code uses `record` and `request`; the declaration is not read per row. */
export function attributeCode(attribute: Attribute, scope: CodeScope): MemberCode {
  const parts = [`${quote(attribute.name)}:`, { code: valueCode(attribute, scope) }]
  if (!isConditional(attribute)) return { parts, always: true }
  return { parts: [{ code: unlessHidden(attribute, concatenation(parts), scope) }], always: false }
}

function unlessHidden(attribute: Attribute, code: string, scope: CodeScope): string {
  return `(${scope.bind(findHiddenTest(attribute))}(record, request) ? "" : ${code})`
}

/** The JSON text of a value. */
function valueCode(attribute: Attribute, scope: CodeScope): string {
  const { name, extract, serialize, kind } = attribute
  const written = (code: string) => `${scope.bind(write)}(${code})`
  const callText = (read: unknown) => `${scope.bind(read)}(record, request, ${JSON.stringify(name)})`
  if (serialize) return written(callText(serialize))
  if (kind === 'map' && !extract) return mapCode(attribute.children, scope)
  const key = attribute.on ? chainKey(attribute) : attribute.property
  const stored = extract ? callText(extract) : `record[${JSON.stringify(key)}]`
  if (isObject(attribute)) return `${scope.bind(objectWriter(attribute))}(${stored}, record, request)`
  const { toWire, toText, keepsTexts, isUnescaped } = codecOf(attribute)
  if (!toWire) return storedCode(stored, scope)
  const value = scope.variable()
  const converted = `${scope.bind(toWire)}(${value})`
  const shown = keepsTexts ? `(typeof ${value} === "string" ? ${value} : ${converted})` : converted
  const unescaped = isUnescaped ? `'"' + ${shown} + '"'` : storedCode(shown, scope)
  const text = toText ? `${scope.bind(toText)}(${value})` : unescaped
  return `((${value} = ${stored}) === null || ${value} === undefined ? "null" : ${text})`
}

/** The JSON text of a value that is shown as it is stored. The code of common values calls no function. */
function storedCode(stored: string, scope: CodeScope): string {
  const value = scope.variable()
  const isUnescapedText = `typeof (${value} = ${stored}) === "string" && !${scope.bind(special)}.test(${value})`
  const isPlain = `${value} === null || ${value} === true || ${value} === false || Number.isFinite(${value})`
  return `(${isUnescapedText} ? '"' + ${value} + '"' : ${isPlain} ? '' + ${value} : ${scope.bind(write)}(${value}))`
}

function mapCode(children: readonly Attribute[], scope: CodeScope): string {
  const shown = children.filter((child) => !isNeverShown(child))
  const names = shown.map(({ name }) => `${quote(name)}:`)
  const values = shown.map((child) => {
    const code = valueCode(child, scope)
    return isConditional(child) ? unlessHidden(child, code, scope) : code
  })
  return `${scope.bind(writeMap)}(${scope.bind(names)}, [${values.join()}])`
}

/** Leaves out empty values, which are hidden. Returns null if no value is stored. */
function writeMap(names: readonly string[], values: readonly string[]): string {
  let text = ''
  let isStored = false
  for (const [index, value] of values.entries()) {
    if (value === '') continue
    text += `${text === '' ? '{' : ','}${names[index]}${value}`
    isStored ||= value !== 'null'
  }
  return isStored ? `${text}}` : 'null'
}

function objectWriter(attribute: Attribute): (value: unknown, record: Row, request: ApiRequest) => string {
  return (value, record, request) => write(toWire(attribute, value, (child) => findHiddenTest(child)(record, request)))
}

/** Converts a stored value to the value that a document shows. */
export function toWire(attribute: Attribute, value: unknown, isHidden: (child: Attribute) => boolean): unknown {
  if (value === null || value === undefined) return null
  if (isObject(attribute)) return showObject(attribute, value, isHidden)
  const { toWire } = codecOf(attribute)
  return toWire ? toWire(value) : value
}

function isObject({ kind }: Attribute): boolean {
  return kind === 'obj' || kind === 'oneOf'
}
