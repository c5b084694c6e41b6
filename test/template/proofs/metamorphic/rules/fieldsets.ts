import type { RandomSource } from '#test/conformance/random.ts'
import { listResources, type ResourceObject, type ResponseDocument, type Rule } from '../world.ts'

const fields: Readonly<Record<string, readonly string[]>> = {
  books: ['title', 'position', 'rating', 'printedAt', 'shelf', 'tags'],
  shelves: ['name', 'books', 'whole', 'label'],
  tags: ['name', 'books'],
  labels: ['text', 'shelf'],
  lists: ['name', 'books'],
}
const includes: Readonly<Record<string, readonly string[]>> = {
  books: ['shelf', 'tags', 'shelf.label', 'tags,shelf'],
  shelves: ['whole', 'label', 'whole.tags'],
  tags: ['books'],
  labels: ['shelf'],
  lists: ['books'],
}

/** A document with sparse fieldsets is the whole document without the other fields. */
export const fieldsetsAreParts: Rule = async (world, draw) => {
  const type = draw.pick(Object.keys(fields))
  const include = draw.chance(70) ? `&include=${draw.pick(includes[type] as readonly string[])}` : ''
  const url = `/${type}?page[size]=50${include}`
  const chosen = drawFieldsets(draw)
  const parameters = [...chosen].map(([name, names]) => `&fields[${name}]=${names.join()}`).join('')
  const [whole, sparse] = await Promise.all([world.read(url), world.read(url + parameters)])
  const [expected, actual] = [comparable(narrow(whole, chosen)), comparable(sparse)]
  return expected === actual ? null : `GET ${url}${parameters} returns ${actual}, the whole has ${expected}.`
}

function drawFieldsets(draw: RandomSource): Map<string, readonly string[]> {
  const types = Object.keys(fields).filter(() => draw.chance(50))
  return new Map(types.map((type) => [type, (fields[type] as readonly string[]).filter(() => draw.chance(50))]))
}

function narrow(document: ResponseDocument, chosen: ReadonlyMap<string, readonly string[]>): ResponseDocument {
  const narrowed = (resource: ResourceObject) => withFields(resource, chosen.get(resource.type))
  return { data: listResources(document).map(narrowed), included: (document.included ?? []).map(narrowed) }
}

function withFields(resource: ResourceObject, names: readonly string[] | undefined): ResourceObject {
  if (!names) return resource
  const pick = <Value>(members: Readonly<Record<string, Value>> = {}): Record<string, Value> =>
    Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)))
  return { ...resource, attributes: pick(resource.attributes), relationships: pick(resource.relationships) }
}

/** The resources in order; an empty member equals a missing one, and the order of `included` has no meaning. */
function comparable({ data, included = [] }: ResponseDocument): string {
  const text = ({ type, id, attributes = {}, relationships = {} }: ResourceObject) =>
    JSON.stringify({ type, id, attributes, relationships })
  return [...listResources({ data }).map(text), ...included.map(text).sort()].join('\n')
}
