import {
  type Identifier,
  listResources,
  type ResourceObject,
  type ResponseDocument,
  type Rule,
  type World,
} from '../world.ts'

const relations: Readonly<Record<string, readonly string[]>> = {
  books: ['shelf', 'tags'],
  shelves: ['books', 'whole', 'label'],
  tags: ['books'],
  lists: ['books'],
  labels: ['shelf'],
}

/** The members of an included relation are those of its related and its relationship URL, with the same attributes. */
export const includesAreRelatedReads: Rule = async (world, draw) => {
  const type = draw.pick(Object.keys(relations))
  const name = draw.pick(relations[type] as readonly string[])
  const url = `/${type}?include=${name}&page[size]=50`
  const document = await world.read(url)
  const parents = listResources(document)
  if (parents.length === 0) return null
  const parent = draw.pick(parents)
  const linkage = listMembers(parent, name)
  const page = wholeRelationQuery(type, name)
  const related = await world.read(`/${type}/${parent.id}/${name}${page}`)
  const relationship = await world.read(`/${type}/${parent.id}/relationships/${name}${type === 'lists' ? '' : page}`)
  const [included, read, linked] = [linkage, listResources(related), listResources(relationship)].map(printMembers) as [
    string,
    string,
    string,
  ]
  if (included !== read) return `GET ${url}: ${parent.id} has ${included}, its related URL ${read}.`
  if (included !== linked) return `GET ${url}: ${parent.id} has ${included}, its relationship URL ${linked}.`
  return findDifferentMember(url, document, related) ?? (await checkNested(world, url, type, name))
}

/** An include has all members, but the first page of a relation with cursors. Linkage with a pivot has no pages. */
function wholeRelationQuery(type: string, name: string): string {
  if (type === 'shelves' && name === 'books') return '?page[kind]=cursor'
  return name === 'tags' || name === 'books' ? '?page[size]=50' : ''
}

/** A longer path includes the members of each step. */
async function checkNested(world: World, url: string, type: string, name: string): Promise<string | null> {
  const target = targetType(type, name)
  const [next] = relations[target] as readonly string[]
  const nested = await world.read(`/${type}?include=${name}.${next}&page[size]=50`)
  const direct = await world.read(`/${target}?include=${next}&page[size]=50`)
  const expected = new Map(
    listResources(direct).map((resource) => [resource.id, printMembers(listMembers(resource, next as string))]),
  )
  for (const resource of nested.included ?? []) {
    if (resource.type !== target || !listed(nested, name).has(resource.id)) continue
    const actual = printMembers(listMembers(resource, next as string))
    const wanted = expected.get(resource.id)
    if (actual !== wanted)
      return `GET ${url}.${next}: ${target} ${resource.id} has ${actual}, its collection ${wanted}.`
  }
  return null
}

function targetType(type: string, name: string): string {
  return { shelf: 'shelves', tags: 'tags', label: 'labels' }[name] ?? (type === 'books' ? name : 'books')
}

/** The members of the relation in the primary data. */
function listed(document: ResponseDocument, name: string): Set<string> {
  return new Set(listResources(document).flatMap((parent) => listMembers(parent, name).map(({ id }) => id)))
}

function listMembers({ relationships }: ResourceObject, name: string): readonly Identifier[] {
  const data = relationships?.[name]?.data
  return data ? ([data].flat() as Identifier[]) : []
}

function printMembers(members: readonly Identifier[]): string {
  return members.map(({ type, id }) => `${type} ${id}`).join()
}

function findDifferentMember(
  url: string,
  { included = [] }: ResponseDocument,
  related: ResponseDocument,
): string | null {
  for (const member of listResources(related)) {
    const found = included.find(({ type, id }) => type === member.type && id === member.id)
    if (!found) return `GET ${url}: ${member.type} ${member.id} is not included.`
    if (JSON.stringify(found.attributes) !== JSON.stringify(member.attributes)) {
      return `GET ${url}: ${member.type} ${member.id} is included with other attributes than at its related URL.`
    }
  }
  return null
}
