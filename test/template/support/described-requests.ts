import { Schemas } from '#test/support/schemas.ts'

// Checks requests against an OpenAPI document: path, method, query parameters, media type and body.

// biome-ignore lint/suspicious/noExplicitAny: documents are read without types
type Part = any

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: unknown
}

/** Returns the faults of a request; none if the document describes it. */
export function requestFaults({ method, url, contentType, body }: SentRequest, document: Part, base: string): string[] {
  const { pathname, searchParams } = new URL(url)
  const path = pathname.slice(new URL(base).pathname.replace(/\/$/, '').length)
  const item = itemAt(path, document)
  const operation = item?.[method.toLowerCase()]
  if (!operation) return [`${method} ${path} is not described.`]
  const schemas = new Schemas(document)
  const parameters = [...(operation.parameters ?? []), ...(item.parameters ?? [])].map((one) => resolve(one, document))
  const queryFaults = [...searchParams].flatMap(([name, value]) => {
    const [family = ''] = name.split('[')
    const declared =
      parameters.find((one) => one.name === name) ?? parameters.find((one) => isMemberOf(name, one, family))
    if (!declared) return [`${method} ${path} has no parameter ${name}.`]
    if (value === '' && declared.allowEmptyValue) return []
    const schema = declared.name === name ? declared.schema : memberSchema(name, declared.schema)
    const values = schema.type === 'array' ? value.split(',').map((one) => [schema.items, one]) : [[schema, value]]
    return values.flatMap(([one, text]) =>
      schemas.compile(one)(toValue(text, one))
        ? []
        : [`${method} ${path}: ${name}=${text} is not ${JSON.stringify(one)}`],
    )
  })
  return [...queryFaults, ...bodyFaults({ method, url, contentType, body }, operation, schemas)]
}

function bodyFaults({ method, url, contentType = '', body }: SentRequest, operation: Part, schemas: Schemas): string[] {
  const content = operation.requestBody?.content
  if (body === undefined || body === null)
    return operation.requestBody?.required ? [`${method} ${url} needs a body.`] : []
  const media = content?.[contentType]
  if (!media) return [`${method} ${url} does not accept ${contentType}.`]
  if (!media.schema) return []
  const validate = schemas.compile(media.schema)
  return validate(JSON.parse(String(body))) ? [] : [`${method} ${url}: ${JSON.stringify(validate.errors)}`]
}

function itemAt(path: string, { paths }: Part): Part {
  const segments = path.split('/')
  const candidates = Object.keys(paths).filter((template) => {
    const parts = template.split('/')
    return (
      parts.length === segments.length && parts.every((part, index) => part.startsWith('{') || part === segments[index])
    )
  })
  return paths[candidates.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? '']
}

function resolve(part: Part, document: Part): Part {
  const path: readonly string[] | undefined = part.$ref?.split('/').slice(1)
  return path ? path.reduce((value, key) => value[key], document) : part
}

/** Whether a parameter is a member of an object parameter: `page[size]` of `page`, `filter[x][min]` of `filter[x]`. */
function isMemberOf(name: string, { name: declared, style }: Part, family: string): boolean {
  return style === 'deepObject' && (declared === family || name.startsWith(`${declared}[`))
}

function memberSchema(name: string, schema: Part): Part {
  const key = name.slice(name.lastIndexOf('[') + 1, -1)
  const variants: Part[] = schema.oneOf ?? schema.anyOf ?? [schema]
  return variants.map(({ properties }) => properties[key]).find(Boolean) ?? false
}

/** Query parameters are texts: numbers and booleans are read by their schema. */
function toValue(text: string, { type }: Part): unknown {
  if (type === 'integer' || type === 'number') return Number(text)
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
}
