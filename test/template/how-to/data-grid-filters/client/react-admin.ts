import { literal } from './grid.ts'

type Filters = Readonly<Record<string, unknown>>
type GetList<Params, Result> = (resource: string, params: Params & { readonly filter: Filters }) => Result

/** Sends the filters of a list as one expression: `withExpressions(dataProvider.getList)`. */
export function withExpressions<Params, Result>(getList: GetList<Params, Result>): GetList<Params, Result> {
  return (resource, params) => {
    const parts = Object.entries(params.filter).map(([source, value]) => expressionOf(source, value))
    return getList(resource, { ...params, filter: parts.length > 0 ? { where: `and(${parts.join()})` } : {} })
  }
}

/** `title` contains the value, `priority_ge` is at least the value, `labels.name` is that of one of the labels. */
function expressionOf(source: string, value: unknown): string {
  const [relation, ...attribute] = source.split('.')
  if (attribute.length > 0) return `has(${relation},${expressionOf(attribute.join('.'), value)})`
  const [, name = source, operator] = /^(.+)_(eq|ne|gt|ge|lt|le)$/.exec(source) ?? []
  if (Array.isArray(value)) return `in(${[name, ...value.map(literal)].join()})`
  return `${operator ?? (typeof value === 'string' ? 'contains' : 'eq')}(${name},${literal(value)})`
}
