import { expect } from 'chai'
import type { Principal, Provider, ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { unscoped } from '#kernel/queries'
import { Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import { sqlProvider } from '#store/read/sql-provider.ts'
import { storePersister } from '#store/write/entity-writer.ts'
import { prove, type Rule } from '#test/conformance/prove.ts'
import type { Fault } from '#test/conformance/prover.ts'
import { deniedRelationsStayHidden } from '#test/conformance/rules/denied-relations.ts'
import { deniedRowsAreUnchanged, deniedRowsStayHidden } from '#test/conformance/rules/denied-rows.ts'
import { conformanceTo } from '#test/support/conformance.ts'
import { fillLeakLibrary, leakLibrary } from '#test/template/authorization/leaks-library/library.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { Book, type Shelf, type Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Types with a policy: the proof finds no fault in a correct policy and names type, request and rule for a wrong one.

const allRules: readonly Rule[] = [deniedRowsStayHidden, deniedRowsAreUnchanged, deniedRelationsStayHidden]

const shown = 'a row that cannot be read at its own URL is in no response'
const dependent = 'no response depends on a row that cannot be read at its own URL'
const changed = 'a row that cannot be changed at its own URL is unchanged after every write'
const related = 'no response depends on a relation that cannot be read at its own URL'

describe('npm run prove on types with a policy', () => {
  beforeEach(async () => fillLeakLibrary(await libraryDatabase()))
  after(emptyLibrary)

  it('finds no fault when scope and abilities agree', async () => {
    expect(faultsText(await provePolicies({ books: { policy: OwnRows }, shelves: { policy: Protected } }))).to.equal('')
  })

  it('finds no fault when rows are read and changed only at their own URL', async () => {
    expect(faultsText(await provePolicies({ books: { policy: NotShown } }))).to.equal('')
  })

  it('finds no fault when checks require the relations to the rows, and keeps the checks', async () => {
    const { app, close } = await startLibrary()
    const checks = `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
      where conname = 'is_related' order by 1`
    try {
      await app.store.query('update loans set book_id = 1 where book_id is null')
      await app.store.query('alter table loans add constraint is_related check (book_id is not null)')
      await app.store.query('alter table books add constraint is_related check (shelf_id is not null)')
      const before = await app.store.query(checks)
      expect(before).to.have.length(2)
      const secretShelf = { policy: SecretShelf, fields: withSecretShelf, filters: () => [] }
      const faults = [
        ...(await provePolicies({ books: { policy: OwnRows }, shelves: { policy: NotShown } })),
        ...(await provePolicies({ books: secretShelf, tags: noFilters }, [deniedRelationsStayHidden])),
      ]
      expect(faultsText(faults)).to.equal('')
      expect(await app.store.query(checks)).to.deep.equal(before)
    } finally {
      for (const table of ['loans', 'books'])
        await app.store.query(`alter table ${table} drop constraint if exists is_related`)
      await close()
    }
  })

  it('reports counts and filters when view denies a row that scope includes', async () => {
    const faults = await provePolicies({ books: { policy: ScopeTooWide } }, [deniedRowsStayHidden])
    expectFault(faults, 'books', dependent, 'GET /shelves?withCount=books')
    expectFault(faults, 'books', dependent, 'GET /shelves?filter[books.title]=Emma')
    expectFault(faults, 'books', dependent, 'GET /loans?filter[book.title]=Emma')
  })

  it('reports a related collection when a provider reads it without the scope', async () => {
    const declared = { books: { policy: OwnRows }, shelves: { provider: withoutScope } }
    const faults = await provePolicies(declared, [deniedRowsStayHidden])
    expectFault(faults, 'books', shown, 'GET /shelves/1/books')
    expectFault(faults, 'books', shown, 'GET /shelves/1/relationships/books')
  })

  it('reports a relationship write when a persister moves members without their policy', async () => {
    const declared = { books: { policy: Protected }, shelves: { persister: movingMembers } }
    const faults = await provePolicies(declared, [deniedRowsAreUnchanged])
    expectFault(faults, 'books', changed, 'POST /shelves/2/relationships/books')
    expectFault(faults, 'books', changed, 'PATCH /shelves/2 ')
    expectFault(faults, 'books', changed, 'POST /operations')
  })

  it('reports a filter through a relation that security() protects', async () => {
    const filters: ResourceDeclaration<Book>['filters'] = ({ whereThrough }) => [
      whereThrough('shelf.name').availableWhen(() => true),
    ]
    const declared = { books: { policy: SecretShelf, filters, fields: withSecretShelf }, tags: noFilters }
    const faults = await provePolicies(declared, [deniedRelationsStayHidden])
    expectFault(faults, 'books', related, 'GET /books?fields[books]=shelf&filter[shelf.name]=')
  })
})

/** Hides Emma from every principal but the administrator. */
class OwnRows extends Policy<Book> {
  static override readonly needs: Record<string, readonly string[]> = { view: [], update: [], delete: [] }
  override scope = (principal: Principal | null): true | object => isAdmin(principal) || { title: { $ne: 'Emma' } }
  override viewAny = () => true
  override view = (_: Principal | null, _row: PolicyRow<Book>): boolean => true
  override create = () => true
  override update = (_: Principal | null, _row: PolicyRow<Book>): boolean => true
  override delete = () => true
}

/** Includes all rows in the scope, and denies some of them with view. */
class ScopeTooWide extends OwnRows {
  static override readonly needs = { view: ['title'], update: [], delete: [] }
  override scope = (): true | object => true
  override view = (principal: Principal | null, { title }: PolicyRow<Book>) => isAdmin(principal) || title !== 'Emma'
}

/** Allows every principal to read the rows, and only the administrator to change them. */
class Protected extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = (principal: Principal | null) => isAdmin(principal)
  override delete = (principal: Principal | null) => isAdmin(principal)
}

class NotShown extends Protected {
  override view = ((principal: Principal | null) => isAdmin(principal)) as never
}

/** Allows only administrators to read the shelf of a book. */
class SecretShelf extends OwnRows {
  static override readonly needs = { view: [], update: [], delete: [], admins: [] }
  override scope = (): true => true
  admins(principal: Principal | null) {
    return isAdmin(principal)
  }
}

function isAdmin(principal: Principal | null): boolean {
  return principal?.identifier === 'admin'
}

const withSecretShelf: ResourceDeclaration<Book>['fields'] = ({ id, string, belongsTo, belongsToMany }) => [
  id(),
  string('title').required(),
  belongsTo('shelf', 'shelves').security({ read: 'admins' }),
  belongsToMany('tags', 'tags').countable(),
]

/** Reads related rows without the scope. */
const withoutScope: Provider = {
  ...sqlProvider,
  related: (relation, parents, query, context) => sqlProvider.related(relation, parents, query, unscoped(context)),
}

/** Declares that no row of a member changes, and changes it. */
const movingMembers: typeof storePersister = {
  ...storePersister,
  lockMembers: async () => [],
  async relate(relation, entity, { members }, { unit }) {
    const shelf = storePersister.keyOf(relation.owner, entity)
    await unit.em.nativeUpdate(Book, { id: { $in: members.map(({ key }) => key as number) } }, { shelf } as never)
  },
}

/** Removes the filters of tags, which would lead through the relation too. */
const noFilters: Partial<ResourceDeclaration<Tag>> = { filters: () => [] }

interface Declared {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
  readonly tags?: Partial<ResourceDeclaration<Tag>>
}

async function provePolicies(declared: Declared, rules = allRules): Promise<readonly Fault[]> {
  const resources = leakLibrary.filter(isUsed).map((resource) => change(resource, declared))
  const { app, client, close } = await startLibrary({
    resources,
    servers: { default: { maxIncludeDepth: 1 } },
    plugins: pluginsWithExpressions,
  })
  try {
    const conforms = conformanceTo(app)
    return (await prove({ app, client, conforms, principals: [null, 'admin'] }, ['books'], () => {}, rules)).faults
  } finally {
    await close()
  }
}

/** Excludes types that only repeat kinds of relations. */
function isUsed({ resource }: DeclaredResource): boolean {
  return !['lists', 'boxes'].includes(resource.declaration.type)
}

function change({ file, resource }: DeclaredResource, declared: Declared): DeclaredResource {
  const { type } = resource.declaration
  const more = declared[type as keyof Declared] as object | undefined
  return { file, resource: { ...resource, declaration: { ...resource.declaration, ...more } } }
}

function expectFault(faults: readonly Fault[], type: string, rule: string, request: string): void {
  const matching = faults.filter((fault) => fault.type === type && fault.rule === rule)
  expect(matching.map(({ url }) => url).join('\n'), faultsText(faults)).to.include(request)
}

function faultsText(faults: readonly Fault[]): string {
  return faults.map(({ type, rule, url, message }) => `${type}: ${url}: ${rule}: ${message}`).join('\n')
}
