import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, defineType } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { open } from '#plugins/authorization/index.ts'
import { cursor } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { pluginsWithExpressions, withExpressions } from '#test/template/support/filterable.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').filterable(),
    hasMany('books', 'books').filterable(),
    hasOne('label', 'labels').filterable(),
  ],
  policy: open,
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').filterable(),
    integer('position').filterable(),
    decimal('rating').nullable().filterable(),
    string('pages').nullable(),
    dateTime('printedAt').nullable().filterable(),
    string('secret')
      .nullable()
      .filterable()
      .hiddenFor((caller) => caller.header('x-secrets') !== 'yes'),
    belongsTo('shelf', 'shelves').filterable(),
    belongsToMany('tags', 'tags').filterable(),
  ],
  filters: ({ contains, where }) => [contains('text', 'title'), where('position')],
  pagination: () => cursor({ size: 2 }),
  policy: open,
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string, belongsToMany }) => [id(), string('name').filterable(), belongsToMany('books', 'books')],
  policy: open,
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
  policy: open,
})

const declare = (...resources: DeclaredResource['resource'][]): DeclaredResource[] =>
  resources.map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
const resources = declare(shelves, books, tags, labels)

describe('filter[where]', () => {
  let client: Client
  let app: TestApp['app']
  const started: TestApp[] = []
  const start = async (options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources, plugins: pluginsWithExpressions, ...options })
    started.push(library)
    client = library.client
    app = library.app
    return client
  }
  const urlOf = (path: string, expression: string) => `${path}?filter[where]=${encodeURIComponent(expression)}`
  const get = (path: string, expression: string, headers = {}) => client.get(urlOf(path, expression), headers)
  const ids = async (expression: string, path = '/books') => {
    const { status, body } = await client.get(`${urlOf(path, expression)}&page[size]=50`)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data.map(({ id }: { id: string }) => id)
  }
  const errors = async (expression: string, path = '/books', headers = {}) => {
    const { status, body } = await get(path, expression, headers)
    expect(status).to.equal(400)
    return body.errors.map(({ code, detail, source, meta }: Record<string, unknown>) => {
      expect(source).to.deep.equal({ parameter: 'filter[where]' })
      return [code, detail, (meta as { character?: number } | undefined)?.character]
    })
  }

  before(async () => {
    await emptyLibrary()
    await fillLibrary()
  })
  beforeEach(() => start())
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  describe('with operators', () => {
    it('compares numbers, texts, times and ids', async () => {
      expect(await ids("eq(title,'Emma')")).to.deep.equal(['1'])
      expect(await ids("ne(title,'Emma')")).to.deep.equal(['2', '3', '4', '5'])
      expect(await ids('gt(position,2)')).to.deep.equal(['4', '5'])
      expect(await ids('ge(position,2)')).to.deep.equal(['2', '3', '4', '5'])
      expect(await ids('lt(position,2)')).to.deep.equal(['1'])
      expect(await ids('le(position,2)')).to.deep.equal(['1', '2', '3'])
      expect(await ids('in(position,1,4)')).to.deep.equal(['1', '5'])
      expect(await ids('eq(rating,4.50)')).to.deep.equal(['1'])
      expect(await ids("in(id,'2','5')")).to.deep.equal(['2', '5'])
      expect(await ids("ne(id,'2')")).to.deep.equal(['1', '3', '4', '5'])
      expect(await ids("eq(printedAt,'1815-12-23T00:00:00Z')")).to.deep.equal(['1'])
      expect(await ids("eq(printedAt,'1815-12-23T01:00:00+01:00')")).to.deep.equal(['1'])
      expect(await ids("lt(printedAt,'1900-01-01')")).to.deep.equal(['1'])
    })

    it('matches parts of texts without regard to ASCII case, and % and _ literally', async () => {
      expect(await ids("contains(title,'MM')")).to.deep.equal(['1'])
      expect(await ids("starts(title,'em')")).to.deep.equal(['1'])
      expect(await ids("ends(title,'A')")).to.deep.equal(['1'])
      expect(await ids("contains(title,'%')")).to.deep.equal(['4'])
      expect(await ids("contains(title,'_')")).to.deep.equal([])
    })

    it('matches NULL by null() only, and never by a comparison', async () => {
      expect(await ids('null(rating)')).to.deep.equal(['3', '4', '5'])
      expect(await ids('ne(rating,4.5)')).to.deep.equal(['2'])
      expect(await ids('not(eq(rating,4.5))')).to.deep.equal(['2', '3', '4', '5'])
      expect(await ids('not(null(rating))')).to.deep.equal(['1', '2'])
    })

    it('combines conditions with and, or and not, at any depth', async () => {
      expect(await ids("or(eq(title,'Emma'),and(gt(position,2),null(rating)))")).to.deep.equal(['1', '4', '5'])
      expect(await ids("not(or(eq(title,'Emma'),gt(position,2)))")).to.deep.equal(['2', '3'])
      expect(await ids('and(gt(position,2))')).to.deep.equal(['4', '5'])
    })

    it('ignores white space between tokens, and reads a doubled quote as one', async () => {
      expect(await ids("  or ( eq ( title , 'it''s' ) ,\n eq(title, 'Emma') ) ")).to.deep.equal(['1', '3'])
    })
  })

  describe('with relations', () => {
    it('requires a related row, or one that satisfies an expression', async () => {
      expect(await ids('has(tags)')).to.deep.equal(['1', '2'])
      expect(await ids('not(has(shelf))')).to.deep.equal(['4', '5'])
      expect(await ids("has(tags,eq(name,'red'))")).to.deep.equal(['1'])
      expect(await ids("has(tags,eq(id,'22222222-2222-4222-8222-222222222222'))")).to.deep.equal(['1', '2'])
      expect(await ids("has(books,has(tags,eq(name,'blue')))", '/shelves')).to.deep.equal(['1', '2'])
      expect(await ids("has(label,eq(id,'1'))", '/shelves')).to.deep.equal(['1'])
    })

    it('compares attributes at the end of a path of to-one relations', async () => {
      expect(await ids("eq(shelf.name,'Fiction')")).to.deep.equal(['1', '3'])
      expect(await ids("in(shelf.id,'2')")).to.deep.equal(['2'])
      expect(await ids("ne(shelf.name,'Fiction')")).to.deep.equal(['2'])
    })

    it('runs one statement, whatever the expression', async () => {
      const [statement, ...others] = await statementsOf(() =>
        ids("or(eq(shelf.name,'Fiction'),has(tags,eq(name,'red')))"),
      )
      expect(others).to.deep.equal([])
      expect(statement?.sql).not.to.include('Fiction')
    })
  })

  describe('at other endpoints', () => {
    it('filters related resources and linkage', async () => {
      expect(await ids('gt(position,1)', '/shelves/1/books')).to.deep.equal(['3'])
      expect(await ids('gt(position,1)', '/shelves/1/relationships/books')).to.deep.equal(['3'])
      expect((await get('/books/1/shelf', "eq(name,'Poetry')")).body.data).to.equal(null)
      expect((await get('/books/1/shelf', "eq(name,'Fiction')")).body.data.id).to.equal('1')
    })

    it('filters a relationship of the primary data', async () => {
      const profile = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'
      const accept = `application/vnd.api+json; profile="${profile}"`
      const query = `rQ[books][filter][where]=${encodeURIComponent('gt(position,1)')}`
      const { body } = await client.get(`/shelves/1?include=books&${query}`, { accept })
      expect(body.included.map(({ id }: { id: string }) => id)).to.deep.equal(['3'])
      const next = await client.get(body.data.relationships.books.links.first)
      expect(next.body.data).to.deep.equal([{ type: 'books', id: '3' }])
    })

    it('names the parameter of a relationship query in each fault', async () => {
      const profile = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'
      const accept = `application/vnd.api+json; profile="${profile}"`
      const parameter = 'rQ[books][filter][where]'
      for (const [value, code] of [
        [`=${encodeURIComponent('gt(position,')}`, 'FILTER_EXPRESSION_INVALID'],
        [`=${encodeURIComponent('gt(nope,1)')}`, 'FILTER_EXPRESSION_NAME_UNRECOGNIZED'],
        [`=${encodeURIComponent("gt(position,'x')")}`, 'FILTER_VALUE_INVALID'],
        ['[]=gt(position,1)', 'QUERY_PARAM_MALFORMED'],
      ]) {
        const { status, body } = await client.get(`/shelves/1?${parameter}${value}`, { accept })
        expect([status, body.errors[0].code]).to.deep.equal([400, code])
        expect(body.errors[0].source, code).to.deep.equal({ parameter })
        if (code === 'QUERY_PARAM_MALFORMED') expect(body.errors[0].detail).to.include(`'${parameter}'`)
      }
    })

    it('returns 400 FILTERING_UNRECOGNIZED at the URL of a resource and in writes', async () => {
      const write = { data: { type: 'books', id: '1', attributes: { position: 1 } } }
      for (const response of [
        await get('/books/1', 'gt(position,1)'),
        await client.patch(urlOf('/books/1', 'gt(position,1)'), write),
      ]) {
        expect([response.status, response.body.errors[0].code]).to.deep.equal([400, 'FILTERING_UNRECOGNIZED'])
      }
    })

    it('combines with declared filters, and keeps its rows on all pages of a cursor', async () => {
      const expression = encodeURIComponent("not(eq(title,'Emma'))")
      const both = await client.get(`/books?filter[text]=s&filter[where]=${encodeURIComponent('gt(position,1)')}`)
      expect(both.body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['2', '3'])
      const seen: string[] = []
      let url: string | undefined = `/books?filter[where]=${expression}&page[size]=2`
      while (url) {
        const { body }: { body: { data: { id: string }[]; links: { next?: string } } } = await client.get(url)
        seen.push(...body.data.map(({ id }) => id))
        url = body.links.next
      }
      expect(seen).to.deep.equal(['2', '3', '4', '5'])
    })
  })

  describe('with a fault', () => {
    it('says at which character the syntax is invalid, and what is expected', async () => {
      const invalid = async (expression: string) => {
        const [[code, detail, character]] = await errors(expression)
        expect(code).to.equal('FILTER_EXPRESSION_INVALID')
        expect(detail).to.include(`at character ${character}: `)
        return `${character} ${detail.slice(detail.indexOf(': ') + 2)}`
      }
      expect(await invalid('eq(position,3')).to.equal("14 expected ')'.")
      expect(await invalid('eq(position,3))')).to.equal('15 expected the end of the expression.')
      expect(await invalid('eq position')).to.equal("4 expected '('.")
      expect(await invalid("or(eq(title,'🎵'),)")).to.match(/^18 expected an operator: and, or, /)
      expect(await invalid('')).to.match(/^1 expected an operator: and, or, /)
      expect(await invalid('eqq(title)')).to.match(/^1 'eqq' is no operator; accepted: .* Did you mean 'eq'\?$/)
      expect(await invalid("eq(title,'Emma)")).to.equal('10 the text has no closing quote.')
      expect(await invalid('eq(title,Emma)')).to.equal(
        '10 expected a value: a text in single quotes, a number, true or false.',
      )
      expect(await invalid('eq(title)')).to.equal("9 expected ','.")
      expect(await invalid('null(title,1)')).to.equal("11 expected ')'.")
      expect(await invalid('not(gt(position,1),gt(position,2))')).to.equal("19 expected ')'.")
      expect(await invalid('has()')).to.equal('5 expected the name of a relation.')
    })

    it('reports names that are not filterable, with the accepted ones', async () => {
      expect(await errors("eq(titel,'x')")).to.deep.equal([
        [
          'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
          "'titel' at character 4 is not an attribute of type 'books' that 'where' accepts. Accepted: id, title, position, rating, printedAt. Did you mean 'title'?",
          4,
        ],
      ])
      expect(await errors("or(eq(pages,'1'),has(shelv),has(shelf,eq(text,'x')),eq(tags.name,'x'))")).to.deep.equal([
        [
          'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
          "'pages' at character 7 is not an attribute of type 'books' that 'where' accepts. Accepted: id, title, position, rating, printedAt.",
          7,
        ],
        [
          'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
          "'shelv' at character 22 is not a relation of type 'books' that 'where' accepts. Accepted: shelf, tags. Did you mean 'shelf'?",
          22,
        ],
        [
          'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
          "'text' at character 42 is not an attribute of type 'shelves' that 'where' accepts. Accepted: id, name.",
          42,
        ],
        [
          'FILTER_EXPRESSION_INVALID',
          "The expression of 'where' is invalid at character 56: 'tags' is to-many; accepted: has(tags, …).",
          56,
        ],
      ])
    })

    it('reports operators and values that do not suit the attribute', async () => {
      expect(await errors("and(contains(position,'1'),gt(id,'1'))")).to.deep.equal([
        [
          'FILTER_EXPRESSION_INVALID',
          "The expression of 'where' is invalid at character 5: 'contains' does not apply to 'position'; accepted: eq, ne, in, null, gt, ge, lt, le.",
          5,
        ],
        [
          'FILTER_EXPRESSION_INVALID',
          "The expression of 'where' is invalid at character 28: 'gt' does not apply to 'id'; accepted: eq, ne, in.",
          28,
        ],
      ])
      const values = await errors(
        "or(eq(position,'3'),eq(title,3),gt(position,2.5),lt(printedAt,'soon'),eq(id,'x'),eq(title,'a\0'))",
      )
      expect(
        values.map(([code, detail]: string[]) => [code, detail?.replace("The value of the filter 'where' ", '')]),
      ).to.deep.equal([
        ['FILTER_VALUE_INVALID', "at character 16 cannot be '3'; accepted: a number without quotes."],
        ['FILTER_VALUE_INVALID', "at character 30 cannot be '3'; accepted: a text in single quotes."],
        [
          'FILTER_VALUE_INVALID',
          "at character 45 cannot be '2.5'; accepted: an integer from -2147483648 to 2147483647.",
        ],
        [
          'FILTER_VALUE_INVALID',
          "at character 63 cannot be 'soon'; accepted: a date, or a date and time, for example 2024-02-29T12:00:00Z.",
        ],
        ['FILTER_VALUE_INVALID', "at character 77 cannot be 'x'; accepted: an id of type 'books'."],
        ['FILTER_VALUE_INVALID', 'at character 91 contains a NUL character or an unpaired surrogate.'],
      ])
    })

    it('returns 400 QUERY_PARAM_MALFORMED for a list or a map', async () => {
      for (const query of ['filter[where][]=has(tags)', 'filter[where][a]=has(tags)']) {
        const { status, body } = await client.get(`/books?${query}`)
        expect([status, body.errors[0].code]).to.deep.equal([400, 'QUERY_PARAM_MALFORMED'])
      }
    })
  })

  describe('beyond a limit', () => {
    const tooLarge = async (expression: string) => {
      const { status, body } = await get('/books', expression)
      expect([status, body.errors[0].code]).to.deep.equal([400, 'QUERY_TOO_LARGE'])
      expect(body.errors[0].source).to.deep.equal({ parameter: 'filter[where]' })
      return body.errors[0].detail
    }
    const nested = (levels: number, inner: string) => `${'not('.repeat(levels)}${inner}${')'.repeat(levels)}`

    it('returns 400 QUERY_TOO_LARGE without a statement', async () => {
      const statements = await statementsOf(async () => {
        expect(await tooLarge(`eq(title,'${'x'.repeat(2000)}')`)).to.equal(
          "'filter[where]' has 2012 characters; at most 2000 are accepted.",
        )
        expect(await tooLarge(`or(${Array(51).fill('has(tags)').join()})`)).to.equal(
          "'filter[where]' has 51 terms; at most 50 are accepted.",
        )
        expect(await tooLarge(nested(8, 'has(tags)'))).to.equal(
          "'filter[where]' has 9 nested levels; at most 8 are accepted.",
        )
        expect(await tooLarge("has(shelf,has(books,has(shelf,eq(shelf.name,'x'))))")).to.equal(
          "'filter[where]' has 4 relations in a row; at most 3 are accepted.",
        )
        expect(await tooLarge(`in(position,${Array(101).fill(1).join()})`)).to.equal(
          "'filter[where]' has 101 values; at most 100 are accepted.",
        )
      })
      expect(statements).to.deep.equal([])
    })

    it('accepts an expression at the limit', async () => {
      expect(await ids(nested(7, 'has(tags)'))).to.deep.equal(['3', '4', '5'])
      expect(await ids(`or(${Array(50).fill('has(tags)').join()})`)).to.deep.equal(['1', '2'])
      expect(await ids("has(shelf,has(books,eq(shelf.name,'Poetry')))")).to.deep.equal(['2'])
    })
  })

  describe('with hiddenFor', () => {
    it('does not know a hidden attribute, also if the same query was sent by a caller who sees it', async () => {
      const visible = { 'x-secrets': 'yes' }
      for (let index = 0; index < 3; index++) {
        const { body } = await get('/books', "eq(secret,'s1')", visible)
        expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1'])
        const [[code, detail]] = await errors("eq(secret,'s1')")
        expect([code, detail]).to.deep.equal([
          'FILTER_EXPRESSION_NAME_UNRECOGNIZED',
          "'secret' at character 4 is not an attribute of type 'books' that 'where' accepts. Accepted: id, title, position, rating, printedAt.",
        ])
        expect((await errors("has(books,eq(secret,'s1'))", '/shelves'))[0][0]).to.equal(code)
      }
    })
  })

  describe('in plans', () => {
    it('has one plan for all values of an expression of the same shape', async () => {
      await ids("or(eq(title,'Emma'),in(position,1,2))")
      const { plans } = app.plans.sizes
      await ids("or(eq(title,'Sanditon'),in(position,7,8,9))")
      expect(app.plans.sizes.plans).to.equal(plans)
      await ids("or(eq(title,'Emma'),in(position,1))")
      expect(app.plans.sizes.plans).to.equal(plans + 1)
    })
  })

  describe('of a type in memory', () => {
    it('compares attributes and ids', async () => {
      const notes = defineType<{ id: string; text: string; size: number }>({
        type: 'notes',
        fields: ({ id, string, integer }) => [id(), string('text').filterable(), integer('size').filterable()],
        provider: memoryProvider([
          { id: 'a', text: 'One', size: 1 },
          { id: 'b', text: 'Two', size: 2 },
        ]),
        operations: ['FetchCollection'],
        policy: open,
      })
      await start({ resources: declare(notes) })
      expect(await ids("or(starts(text,'o'),gt(size,1))", '/notes')).to.deep.equal(['a', 'b'])
      expect(await ids("not(eq(id,'a'))", '/notes')).to.deep.equal(['b'])
    })
  })

  describe('in a request without it', () => {
    it('changes neither the statements nor the number of plans', async () => {
      const read = async (options: TestAppOptions) => {
        await start(options)
        const statements = await statementsOf(() => client.get('/books?filter[text]=e&sort=id&include=shelf'))
        return { statements: statements.map(({ sql }) => sql), plans: app.plans.sizes.plans }
      }
      const off = plugins.filter(({ name }) => name !== 'filter-expressions')
      const { modifiers = {} } = withExpressions(off).find(({ name }) => name === 'filter-expressions') ?? {}
      const without = await read({ plugins: off, unlisted: [{ name: 'filter-expressions', modifiers, keys: {} }] })
      expect(await read({})).to.deep.equal(without)
    })
  })

  describe('on an attribute that lists its values', () => {
    beforeEach(() => {
      const listed = defineResource(Tag, {
        type: 'tags',
        fields: ({ id, string }) => [id(), string('name').in(['red', 'blue']).filterable()],
        policy: open,
      })
      return start({ resources: declare(listed) })
    })

    it('returns 400 with the accepted values for another one', async () => {
      const { status, body } = await client.get("/tags?filter[where]=in(name,'red','green')")
      expect([status, body.errors[0].code]).to.deep.equal([400, 'FILTER_VALUE_INVALID'])
      expect(body.errors[0].detail).to.include("cannot be 'green'; accepted: red, blue")
      expect((await client.get("/tags?filter[where]=ne(name,'red')")).body.data).to.have.length(1)
    })

    it('returns 400 for operators of texts', async () => {
      const { status, body } = await client.get("/tags?filter[where]=contains(name,'e')")
      expect([status, body.errors[0].code]).to.deep.equal([400, 'FILTER_EXPRESSION_INVALID'])
    })
  })

  describe('without the plugin, without filterable(), or under another key', () => {
    const unknown = async (path: string) => {
      const { status, body } = await client.get(path)
      expect([status, body.errors[0].code]).to.deep.equal([400, 'FILTERING_UNRECOGNIZED'])
      return body.errors[0].detail
    }

    it('is an unknown filter of a type without filterable fields', async () => {
      expect(await unknown('/labels?filter[where]=has(shelf)')).to.equal(
        "Cannot filter by 'where'. Filters here: none.",
      )
    })

    it('is an unknown filter if the plugin is off', async () => {
      const off = plugins.filter(({ name }) => name !== 'filter-expressions')
      const { modifiers = {} } = withExpressions(off).find(({ name }) => name === 'filter-expressions') ?? {}
      await start({ plugins: off, unlisted: [{ name: 'filter-expressions', modifiers, keys: {} }] })
      expect(await unknown('/books?filter[where]=has(shelf)')).to.equal(
        "Cannot filter by 'where'. Filters here: text, position.",
      )
    })

    it('has the key of its server', async () => {
      const both = { server: ['default', 'admin'] }
      const onBoth = declare(
        ...[shelves, books, tags, labels].map((one) => ({ ...one, declaration: { ...one.declaration, ...both } })),
      )
      await start({ resources: onBoth, plugins: withExpressions(plugins, { key: { admin: 'q' } }) })
      const filtered = await client.get("/admin/books?filter[q]=eq(title,'Emma')")
      expect(filtered.body.data).to.have.length(1)
      expect(await ids("eq(title,'Emma')")).to.deep.equal(['1'])
      expect(await unknown('/admin/books?filter[where]=has(shelf)')).to.include('text, position, q')
      expect(await unknown('/books?filter[q]=has(shelf)')).to.include('text, position, where')
    })

    it('does not know a relation whose type the server does not offer', async () => {
      const admin = { ...tags, declaration: { ...tags.declaration, server: 'admin' } }
      await start({ resources: declare(shelves, books, admin, labels) })
      const [[code, detail]] = await errors("has(tags,eq(name,'red'))")
      expect(code).to.equal('FILTER_EXPRESSION_NAME_UNRECOGNIZED')
      expect(detail).to.include('Accepted: shelf.')
    })
  })
})

async function fillLibrary(): Promise<void> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  const [red, blue] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  for (const sql of [
    `insert into shelves (name) values ('Fiction'), ('Poetry')`,
    `insert into books (title, position, rating, printed_at, secret, shelf_id) values
       ('Emma', 1, 4.5, '1815-12-23T00:00:00Z', 's1', 1), ('Songs', 2, 3, '1926-01-01T00:00:00Z', 's2', 2),
       ('it''s', 2, null, null, null, 1), ('100 %', 3, null, null, null, null), ('Zoë 🎵', 4, null, null, null, null)`,
    `insert into labels (text, shelf_id) values ('A', 1)`,
    `insert into tags (id, name) values ('${red}', 'red'), ('${blue}', 'blue')`,
    `insert into book_tags (book_id, tag_id) values (1, '${red}'), (1, '${blue}'), (2, '${blue}')`,
  ]) {
    await connection.execute(sql)
  }
}
