import { expect } from 'chai'
import type { Principal, Provider, ResourceDeclaration } from '#kernel'
import { type DeclaredResource, unscoped } from '#kernel/plugin'
import { Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import { storeProvider } from '#store/read/provider.ts'
import { storePersister } from '#store/write/persister.ts'
import { conformanceTo } from '#test/support/conformance.ts'
import { fillLeakLibrary, leakLibrary } from '#test/support/leaks/library.ts'
import { Book, type Shelf, type Tag } from '#test/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/support/library/index.ts'
import { prove, type Rule } from './prove.ts'
import type { Fault } from './prover.ts'
import { deniedRelationsStayHidden } from './rules/denied-relations.ts'
import { deniedRowsAreUnchanged, deniedRowsStayHidden } from './rules/denied-rows.ts'

// Own types with a policy: a right one has no faults, and of a wrong one the proof names the type, the request and the rule.

const allOfThem: readonly Rule[] = [deniedRowsStayHidden, deniedRowsAreUnchanged, deniedRelationsStayHidden]

const shown = 'a row that cannot be read at its own URL is in no answer'
const dependent = 'no answer depends on a row that cannot be read at its own URL'
const changed = 'a row that cannot be changed at its own URL is unchanged after every write'
const related = 'no answer depends on a relation that cannot be read at its own URL'

describe('npm run prove on types with a policy', () => {
  beforeEach(fillLeakLibrary)
  after(emptyLibrary)

  it('finds no fault when scope and the abilities agree', async () => {
    expect(told(await faultsOf({ books: { policy: OwnRows }, shelves: { policy: Protected } }))).to.equal('')
  })

  it('finds no fault when rows are shown and changed by their own URL only', async () => {
    expect(told(await faultsOf({ books: { policy: NotShown } }))).to.equal('')
  })

  it('names counts, filters and attributes by on() when view refuses a row that scope admits', async () => {
    const faults = await faultsOf({ books: { policy: ScopeTooWide } }, [deniedRowsStayHidden])
    expectFault(faults, 'books', dependent, 'GET /shelves?withCount=books')
    expectFault(faults, 'books', dependent, 'GET /shelves?filter[books.title]=Emma')
    expectFault(faults, 'books', dependent, 'GET /loans')
  })

  it('names a related collection when a provider reads it without the scope', async () => {
    const declared = { books: { policy: OwnRows }, shelves: { provider: withoutScope } }
    const faults = await faultsOf(declared, [deniedRowsStayHidden])
    expectFault(faults, 'books', shown, 'GET /shelves/1/books')
    expectFault(faults, 'books', shown, 'GET /shelves/1/relationships/books')
  })

  it('names a relationship write when a persister moves members without asking their policy', async () => {
    const declared = { books: { policy: Protected }, shelves: { persister: movingMembers } }
    const faults = await faultsOf(declared, [deniedRowsAreUnchanged])
    expectFault(faults, 'books', changed, 'POST /shelves/2/relationships/books')
    expectFault(faults, 'books', changed, 'PATCH /shelves/2 ')
    expectFault(faults, 'books', changed, 'POST /operations')
  })

  it('names a filter that leads through a relation which security() protects', async () => {
    const filters: ResourceDeclaration<Book>['filters'] = ({ whereThrough }) => [
      whereThrough('shelf.name').availableWhen(() => true),
    ]
    const declared = { books: { policy: SecretShelf, filters, fields: withSecretShelf }, tags: noFilters }
    const faults = await faultsOf(declared, [deniedRelationsStayHidden])
    expectFault(faults, 'books', related, 'GET /books?fields[books]=shelf&filter[shelf.name]=')
  })
})

/** Only an administrator sees Emma; everyone else does not find it. */
class OwnRows extends Policy<Book> {
  static override readonly needs: Record<string, readonly string[]> = { view: [], update: [], delete: [] }
  override scope = (who: Principal | null): true | object => isAdmin(who) || { title: { $ne: 'Emma' } }
  override viewAny = () => true
  override view = (_: Principal | null, _row: PolicyRow<Book>): boolean => true
  override create = () => true
  override update = (_: Principal | null, _row: PolicyRow<Book>): boolean => true
  override delete = () => true
}

/** Admits all rows, and refuses some of them one by one. */
class ScopeTooWide extends OwnRows {
  static override readonly needs = { view: ['title'], update: [], delete: [] }
  override scope = (): true | object => true
  override view = (who: Principal | null, { title }: PolicyRow<Book>) => isAdmin(who) || title !== 'Emma'
}

/** Everyone reads the rows, and only an administrator changes them. */
class Protected extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = (who: Principal | null) => isAdmin(who)
  override delete = (who: Principal | null) => isAdmin(who)
}

class NotShown extends Protected {
  override view = ((who: Principal | null) => isAdmin(who)) as never
}

/** The shelf of a book is only for administrators. */
class SecretShelf extends OwnRows {
  static override readonly needs = { view: [], update: [], delete: [], admins: [] }
  override scope = (): true => true
  admins(who: Principal | null) {
    return isAdmin(who)
  }
}

function isAdmin(who: Principal | null): boolean {
  return who?.identifier === 'admin'
}

const withSecretShelf: ResourceDeclaration<Book>['fields'] = ({ id, string, belongsTo, belongsToMany }) => [
  id(),
  string('title').required(),
  belongsTo('shelf', 'shelves').security({ read: 'admins' }),
  belongsToMany('tags', 'tags').countable(),
]

/** Reads related rows as if every row existed for the requester. */
const withoutScope: Provider = {
  ...storeProvider,
  related: (relation, parents, query, context) => storeProvider.related(relation, parents, query, unscoped(context)),
}

/** Says that no row of a member changes, and changes it. */
const movingMembers: typeof storePersister = {
  ...storePersister,
  lockMembers: async () => [],
  async relate(relation, entity, { members }, { unit }) {
    const shelf = storePersister.keyOf(relation.owner, entity)
    await unit.em.nativeUpdate(Book, { id: { $in: members.map(({ key }) => key as number) } }, { shelf } as never)
  },
}

/** A filter of tags would lead through the relation as well. */
const noFilters: Partial<ResourceDeclaration<Tag>> = { filters: () => [] }

interface Declared {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
  readonly tags?: Partial<ResourceDeclaration<Tag>>
}

async function faultsOf(declared: Declared, rules = allOfThem): Promise<readonly Fault[]> {
  const resources = leakLibrary.filter(isUsed).map((one) => change(one, declared))
  const { app, client, close } = await startLibrary({ resources, servers: { default: { maxIncludeDepth: 1 } } })
  try {
    const conforms = await conformanceTo(client.url, app.servers)
    return (await prove({ app, client, conforms, principals: [null, 'admin'] }, ['books'], () => {}, rules)).faults
  } finally {
    await close()
  }
}

/** Without types that only repeat kinds of relations. */
function isUsed({ resource }: DeclaredResource): boolean {
  return !['lists', 'boxes'].includes(resource.declaration.type)
}

function change({ file, resource }: DeclaredResource, declared: Declared): DeclaredResource {
  const { type } = resource.declaration
  const more = declared[type as keyof Declared] as object | undefined
  return { file, resource: { ...resource, declaration: { ...resource.declaration, ...more } } }
}

function expectFault(faults: readonly Fault[], type: string, rule: string, request: string): void {
  const met = faults.filter((fault) => fault.type === type && fault.rule === rule)
  expect(met.map(({ url }) => url).join('\n'), told(faults)).to.include(request)
}

function told(faults: readonly Fault[]): string {
  return faults.map(({ type, rule, url, message }) => `${type}: ${url}: ${rule}: ${message}`).join('\n')
}
