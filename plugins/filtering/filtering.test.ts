import { raw } from '@mikro-orm/core'
import { expect } from 'chai'
import Joi from 'joi'
import { plugins } from '#app/plugins.ts'
import { any, compare, defineResource, isIn, isNull, native, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { OpenPolicy } from '#plugins/authorization/test/open-policy.ts'
import { cursor, page } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import type { FilterBuilders } from './index.ts'

type BookFilters = NonNullable<ResourceDeclaration<Book>['filters']>

describe('filter', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (filters: BookFilters, options: TestAppOptions = {}, overrides: Overrides = {}) => {
    const library = await startLibrary({ resources: declare(filters, overrides), ...options })
    started.push(library)
    client = library.client
    return client
  }
  const ids = async (query: string) => readKeys(await client.get(`/books?${query}`))

  before(async () => {
    await emptyLibrary()
    await fillLibrary()
  })
  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })
  after(emptyLibrary)

  describe('on one property', () => {
    it('compares with the declared operator', async () => {
      await start(({ where }) => [
        where('title'),
        where('not', 'title', '!='),
        where('above', 'position', '>'),
        where('from', 'position', '>='),
        where('below', 'position', '<'),
        where('to', 'position', '<='),
        where('same', 'position', '=='),
        where('alike', 'position', '==='),
        where('other', 'position', '<>'),
      ])
      expect(await ids('filter[title]=Emma')).to.deep.equal(['2'])
      expect(await ids('filter[title]=emma')).to.deep.equal([])
      expect(await ids('filter[not]=Emma')).to.deep.equal(['1', '3', '4', '5'])
      expect(await ids('filter[above]=2')).to.deep.equal(['3', '5'])
      expect(await ids('filter[from]=2')).to.deep.equal(['2', '3', '5'])
      expect(await ids('filter[below]=2')).to.deep.equal(['1', '4'])
      expect(await ids('filter[to]=2')).to.deep.equal(['1', '2', '4'])
      expect(await ids('filter[same]=3')).to.deep.equal(['3', '5'])
      expect(await ids('filter[alike]=3')).to.deep.equal(['3', '5'])
      expect(await ids('filter[other]=3')).to.deep.equal(['1', '2', '4'])
    })

    it('matches NULL with != and whereNotIn only', async () => {
      await start(({ where, greaterThan, lessThan, whereIn, whereNotIn }) => [
        where('rating'),
        where('notRating', 'rating', '!='),
        greaterThan('above', 'rating'),
        lessThan('below', 'rating'),
        whereIn('in', 'rating'),
        whereNotIn('notIn', 'rating'),
      ])
      expect(await ids('filter[above]=0')).to.deep.equal(['1', '2', '3'])
      expect(await ids('filter[below]=99')).to.deep.equal(['1', '2', '3'])
      expect(await ids('filter[rating]=4.5')).to.deep.equal(['1'])
      expect(await ids('filter[notRating]=4.5')).to.deep.equal(['2', '3', '4', '5'])
      expect(await ids('filter[in]=4.5,3')).to.deep.equal(['1', '3'])
      expect(await ids('filter[notIn]=4.5,3')).to.deep.equal(['2', '4', '5'])
    })

    it('matches parts of texts without regard to ASCII case, and % and _ literally', async () => {
      await start(({ contains, startsWith, endsWith, where }) => [
        contains('title'),
        startsWith('start', 'title'),
        endsWith('end', 'title'),
        where('like', 'title', 'like'),
        where('starts', 'title', 'starts'),
        where('ends', 'title', 'ends'),
      ])
      expect(await ids('filter[title]=M')).to.deep.equal(['2', '4'])
      expect(await ids('filter[like]=mm')).to.deep.equal(['2'])
      expect(await ids('filter[start]=100')).to.deep.equal(['4'])
      expect(await ids('filter[starts]=e')).to.deep.equal(['2'])
      expect(await ids('filter[end]=SSES')).to.deep.equal(['1'])
      expect(await ids('filter[ends]=a')).to.deep.equal(['2'])
      expect(await ids('filter[title]=%25')).to.deep.equal(['4'])
      expect(await ids('filter[title]=_')).to.deep.equal(['5'])
      expect(await ids('filter[title]=%5C')).to.deep.equal([])
      expect(await ids('filter[title]=')).to.deep.equal(['1', '2', '3', '4', '5'])
    })

    it('ignores case for ASCII letters only', async () => {
      await start(({ contains }) => [contains('title')])
      expect(await ids('filter[title]=%C3%A9')).to.deep.equal(['5'])
      expect(await ids('filter[title]=%C3%89')).to.deep.equal([])
    })

    it('matches no row when a text operator is applied to a number column, a list or a map', async () => {
      await start(({ contains }) => [contains('title'), contains('rating'), contains('position')])
      expect(await ids('filter[rating]=4')).to.deep.equal([])
      expect(await ids('filter[position]=3')).to.deep.equal([])
      expect(await ids('filter[title][]=Emma')).to.deep.equal([])
      expect(await ids('filter[title][x]=Emma')).to.deep.equal([])
    })

    it('accepts a list as repeated parameters or as a delimited text', async () => {
      await start(({ whereIn, whereNotIn }) => [
        whereIn('title').delimiter('|'),
        whereIn('position'),
        whereNotIn('notPosition', 'position'),
      ])
      expect(await ids('filter[position]=3, 2,')).to.deep.equal(['2', '3', '5'])
      expect(await ids('filter[position][]=1&filter[position][]=2')).to.deep.equal(['1', '2', '4'])
      expect(await ids('filter[title]=Emma|Ulysses')).to.deep.equal(['1', '2'])
      expect(await ids('filter[notPosition]=1,2')).to.deep.equal(['3', '5'])
      expect(await ids('filter[position]=')).to.deep.equal([])
      expect(await ids('filter[notPosition]=')).to.deep.equal(['1', '2', '3', '4', '5'])
    })

    it('applies whereNull and whereNotNull with any value', async () => {
      await start(({ whereNull, whereNotNull }) => [whereNull('unrated', 'rating'), whereNotNull('rated', 'rating')])
      expect(await ids('filter[unrated]=')).to.deep.equal(['4', '5'])
      expect(await ids('filter[unrated]=no')).to.deep.equal(['4', '5'])
      expect(await ids('filter[rated][]=x')).to.deep.equal(['1', '2', '3'])
    })

    it('accepts a range with inclusive, optional bounds', async () => {
      await start(({ range }) => [range('rating'), range('rank', 'position').integer()])
      expect(await ids('filter[rating][min]=3&filter[rating][max]=4')).to.deep.equal(['2', '3'])
      expect(await ids('filter[rating][min]=4.5')).to.deep.equal(['1'])
      expect(await ids('filter[rating][max]=3')).to.deep.equal(['3'])
      expect(await ids('filter[rating][min]=&filter[rating][max]=%20')).to.deep.equal(['1', '2', '3', '4', '5'])
      expect(await ids('filter[rank][min]=2&filter[rank][max]=2')).to.deep.equal(['2'])
    })

    it('accepts ISO 8601 dates and times in a date range, and returns 400 for other texts', async () => {
      await start(({ dateRange }) => [dateRange('printedAt')])
      expect(await ids('filter[printedAt][min]=2001-01-01')).to.deep.equal(['1', '2'])
      expect(await ids('filter[printedAt][min]=2001-01-01T00:00:00.000001Z')).to.deep.equal(['2'])
      expect(await ids('filter[printedAt][max]=2001-01-01T01:00:00%2B01:00')).to.deep.equal(['1', '3'])
      expect(await ids('filter[printedAt][max]=2001-01-01T00:59%2B0100')).to.deep.equal(['3'])
      expect(await ids('filter[printedAt][min]=2001-01-01T00:00:00&filter[printedAt][max]=2002-06-01')).to.deep.equal([
        '1',
        '2',
      ])
      for (const value of ['2001-02-30', '2001-13-01', 'yesterday', '2001', '2001-01-01T25:00:00Z', '01-01-2001']) {
        expectInvalid(await client.get(`/books?filter[printedAt][min]=${value}`), 'printedAt')
      }
    })

    it('accepts true, 1, on, yes and their opposites as booleans, and returns 400 for other texts', async () => {
      await start(({ boolean, where }) => [
        boolean('out', 'position').deserializeUsing((text) => (text === 'yes' ? 3 : 1)),
        where('top', 'position').boolean().asBoolean().deserializeUsing(Number),
      ])
      expect(await ids('filter[out]=yes')).to.deep.equal(['3', '5'])
      expect(await ids('filter[out]=0')).to.deep.equal(['1', '4'])
      expectInvalid(await client.get('/books?filter[out]=maybe'), 'out')
      expect(await ids('filter[top]=1')).to.deep.equal(['1', '4'])
    })
  })

  describe('on ids', () => {
    it('decodes ids of the type', async () => {
      await start(({ whereIdIn, whereIdNotIn }) => [whereIdIn(), whereIdNotIn('except')])
      expect(await ids('filter[id]=b-1,b-3')).to.deep.equal(['1', '3'])
      expect(await ids('filter[id][]=b-2')).to.deep.equal(['2'])
      expect(await ids('filter[except]=b-1,b-3')).to.deep.equal(['2', '4', '5'])
      expect(await ids('filter[id]=')).to.deep.equal([])
      expectInvalid(await client.get('/books?filter[id]=1,b-x'), 'id', 2)
    })

    it('decodes ids of related types', async () => {
      await start(({ whereIdIn, whereIdNotIn }) => [
        whereIdIn('shelf', 'shelf'),
        whereIdNotIn('off', 'shelf'),
        whereIdIn('tags', 'tags'),
      ])
      expect(await ids('filter[shelf]=2')).to.deep.equal(['3', '4'])
      expect(await ids('filter[off]=2')).to.deep.equal(['1', '2', '5'])
      expect(await ids(`filter[tags]=${red}`)).to.deep.equal(['1', '3'])
      expectInvalid(await client.get('/books?filter[tags]=red'), 'tags')
    })
  })

  describe('through relations', () => {
    const declared: BookFilters = ({ whereHas, whereDoesntHave, whereThrough, whereHasMatching }) => [
      whereHas('tags'),
      whereDoesntHave('untagged', 'tags'),
      whereHas('shelved', 'shelf'),
      whereThrough('shelf.name'),
      whereThrough('near', 'shelf.books.title').operator('starts'),
      whereThrough('tagged', 'tags.name').operator('!='),
      whereHasMatching('named', 'shelf', (value) => ({ name: String(value) })),
      whereHasMatching('numbered', 'shelf', (value) => ({ id: { $in: [String(value)] } }) as never),
      whereHasMatching('fiction', 'shelf', { name: { $like: 'Fic%' } }),
    ]

    it('matches rows with or without a related row', async () => {
      await start(declared)
      expect(await ids('filter[tags]=')).to.deep.equal(['1', '3'])
      expect(await ids('filter[untagged]=1')).to.deep.equal(['2', '4', '5'])
      expect(await ids('filter[shelved]')).to.deep.equal(['1', '2', '3', '4'])
    })

    it('compares a property at the end of a path, with dots in the key', async () => {
      await start(declared)
      expect(await ids('filter[shelf.name]=Poetry')).to.deep.equal(['3', '4'])
      expect(await ids('filter[near]=ulys')).to.deep.equal(['1', '2'])
      expect(await ids('filter[tagged]=red')).to.deep.equal(['1'])
    })

    it('matches related rows by a MikroORM filter', async () => {
      await start(declared)
      expect(await ids('filter[named]=Poetry')).to.deep.equal(['3', '4'])
      expect(await ids('filter[fiction]=')).to.deep.equal(['1', '2'])
      expect(await ids('filter[numbered]=2')).to.deep.equal(['3', '4'])
      expectInvalid(await client.get('/books?filter[numbered]=two'), 'numbered')
    })

    it('runs one statement with EXISTS and without DISTINCT', async () => {
      await start(declared)
      const statements = await statementsOf(() => client.get('/books?filter[near]=u&filter[tags]=&page[size]=5'))
      expect(statements).to.have.length(1)
      expect(statements[0]?.sql.match(/exists \(/g)).to.have.length(3)
      expect(statements[0]?.sql).not.to.match(/ distinct /)
      expect(statements[0]?.parameters).to.include('u%')
    })

    it('applies the scope of the policy to every relation of a path', async () => {
      await start(declared, {}, { shelves: { policy: FictionOnly } })
      expect(await ids('filter[shelf.name]=Poetry')).to.deep.equal([])
      expect(await ids('filter[shelf.name]=Fiction')).to.deep.equal(['1', '2'])
      expect(await ids('filter[shelved]')).to.deep.equal(['1', '2'])
      expect(await ids('filter[named]=Poetry')).to.deep.equal([])
    })

    it('ignores soft-deleted related rows', async () => {
      await start(declared)
      expect(await ids('filter[near]=hidden')).to.deep.equal([])
    })
  })

  describe('in groups', () => {
    it('applies the value to all children, and matches if all or any match', async () => {
      await start(({ whereAny, whereAll, contains, startsWith, where, whereNotNull }) => [
        whereAny('q', contains('title'), contains('in', 'secret')),
        whereAll('both', contains('title'), whereNotNull('rating')),
        whereAny('nested', whereAll('x', startsWith('title'), contains('y', 'secret')), where('z', 'title')),
      ])
      expect(await ids('filter[q]=m')).to.deep.equal(['2', '3', '4'])
      expect(await ids('filter[both]=m')).to.deep.equal(['2'])
      expect(await ids('filter[nested]=emma')).to.deep.equal([])
      expect(await ids('filter[nested]=Emma')).to.deep.equal(['2'])
      expectUnrecognized(await client.get('/books?filter[title]=m'), 'title')
    })

    it('returns 400 when one of the children rejects the value', async () => {
      await start(({ whereAny, contains, where }) => [whereAny('q', contains('title'), where('position'))])
      expect(await ids('filter[q]=3')).to.deep.equal(['3', '5'])
      expectInvalid(await client.get('/books?filter[q]=m'), 'q')
    })
  })

  describe('with a custom condition', () => {
    it('applies the condition, and returns 400 for values the column cannot hold', async () => {
      await start(({ custom }) => [
        custom('near').condition((value) => any(compare('position', '=', value), isNull('rating'))),
      ])
      expect(await ids('filter[near]=2')).to.deep.equal(['2', '4', '5'])
      expectInvalid(await client.get('/books?filter[near]=two'), 'near')
      expectInvalid(await client.get('/books?filter[near][]=2'), 'near')
      expectInvalid(await client.get('/books?filter[near][$ne]=2'), 'near')
    })

    it('returns 400 for numbers the column cannot hold, which the condition has made of the value', async () => {
      await start(({ custom, whereHasMatching }) => [
        custom('at').condition((value) =>
          any(compare('position', '=', Number(value)), isIn('position', [Number(value)])),
        ),
        custom('above').condition((value) => compare('rating', '>', Number(value))),
        whereHasMatching('on', 'shelf', (value) => ({ id: Number(value) })),
        whereHasMatching('with', 'shelf', (value) => ({ books: { position: String(value) } }) as never),
        whereHasMatching('beside', 'shelf', (value) => ({ books: String(value) }) as never),
        custom('native').condition((value) => native<Book>({ $or: [{ shelf: String(value) }] } as never)),
        custom('fragment').condition((value) => native<Book>({ [raw('position')]: Number(value) })),
      ])
      expect(await ids('filter[with]=3')).to.deep.equal(['3', '4'])
      expect(await ids('filter[beside]=1')).to.deep.equal(await ids('filter[on]=1'))
      expect(await ids('filter[native]=1')).to.deep.equal(await ids('filter[on]=1'))
      expect(await ids('filter[fragment]=3')).to.deep.equal(['3', '5'])
      for (const key of ['with', 'beside', 'native']) expectInvalid(await client.get(`/books?filter[${key}]=x`), key)
      expect(await ids('filter[at]=3')).to.deep.equal(['3', '5'])
      expect(await ids('filter[above]=0.0000001')).to.deep.equal(await ids('filter[above]=0'))
      for (const value of ['x', '1.5', '99999999999', '1e99']) {
        expectInvalid(await client.get(`/books?filter[at]=${value}`), 'at')
        expectInvalid(await client.get(`/books?filter[on]=${value}`), 'on')
      }
      expectInvalid(await client.get('/books?filter[above]=x'), 'above')
    })

    it('applies the search handler: every word must occur in one of the properties', async () => {
      await start(({ custom }) => [custom('q').handledBy('search', 'title', 'secret').pattern('[^!]*')])
      expect(await ids('filter[q]=m')).to.deep.equal(['2', '3', '4'])
      expect(await ids('filter[q]=%20MOLOCH%20%20howl%20')).to.deep.equal(['3'])
      expect(await ids('filter[q]=howl%20emma')).to.deep.equal([])
      expect(await ids('filter[q]=100%25')).to.deep.equal(['4'])
      expect(await ids('filter[q]=')).to.deep.equal(['1', '2', '3', '4', '5'])
      expect(await ids('filter[q][]=m')).to.deep.equal([])
      expectInvalid(await client.get('/books?filter[q]=no!'), 'q')
    })
  })

  describe('with refinements', () => {
    it('applies default() when the key is absent, and not when the value is empty', async () => {
      await start(({ where, boolean, whereIn }) => [
        where('position').default(3),
        boolean('x', 'position')
          .default(true)
          .deserializeUsing(() => 3),
        whereIn('title').default(['Howl', 'Emma']),
      ])
      expect(await ids('')).to.deep.equal(['3'])
      expect(await ids('filter[title]=')).to.deep.equal(['3', '5'])
      expect(await ids('filter[position]=2&filter[x]=')).to.deep.equal(['2'])
      expect(await ids('filter[position]=&filter[x]=&filter[title]=')).to.deep.equal(['1', '2', '3', '4', '5'])
    })

    it('applies fixed() when the key is present, whatever its value', async () => {
      await start(({ where }) => [where('top', 'position').integer().fixed(3)])
      expect(await ids('filter[top]=anything')).to.deep.equal(['3', '5'])
      expect(await ids('filter[top]=')).to.deep.equal(['3', '5'])
      expect(await ids('')).to.have.length(5)
    })

    it('returns one resource or null when a singular() filter is sent', async () => {
      await start(({ where, whereIn }) => [where('title').singular(), whereIn('position').singular()])
      const { status, body } = await client.get('/books?filter[title]=Emma&include=shelf')
      expect(status).to.equal(200)
      expect(body.data).to.include({ type: 'books', id: 'b-2' })
      expect(body.included).to.have.length(1)
      expect(body).not.to.have.property('meta')
      expect(body.links).to.have.keys('self')
      const none = await client.get('/books?filter[title]=Unknown')
      expect(none.status).to.equal(200)
      expect(none.body.data).to.equal(null)
      expect((await client.get('/books?filter[position]=2,3&sort=-title')).body.data.id).to.equal('b-5')
      expect((await client.get('/books')).body.data).to.have.length(5)
    })

    it('reads one row with LIMIT when a singular() filter is sent', async () => {
      await start(({ where }) => [where('title').singular()])
      const statements = await statementsOf(() => client.get('/books?filter[title]=Emma'))
      expect(statements).to.have.length(1)
      expect(statements[0]?.sql).to.match(/ limit \$\d+$/)
    })

    it('returns a list on related and relationship URLs when a singular() filter is sent', async () => {
      await start(({ where }) => [where('title').singular()])
      expect(readKeys(await client.get('/shelves/1/books?filter[title]=Emma'))).to.deep.equal(['2'])
      expect(readKeys(await client.get('/shelves/1/relationships/books?filter[title]=Emma'))).to.deep.equal(['2'])
    })

    it('compares with the result of deserializeUsing(), and returns 400 when it throws', async () => {
      await start(({ where, whereIn }) => [
        where('title').deserializeUsing((text) => `${text[0]?.toUpperCase()}${text.slice(1)}`),
        whereIn('rating').deserializeUsing((text) => (text === 'none' ? null : text)),
        where('strict', 'position').deserializeUsing(() => {
          throw new Error('no')
        }),
      ])
      expect(await ids('filter[title]=emma')).to.deep.equal(['2'])
      expect(await ids('filter[rating]=none,3')).to.deep.equal(['3', '4', '5'])
      expectInvalid(await client.get('/books?filter[strict]=1'), 'strict')
    })

    it('returns 400 FILTERING_UNRECOGNIZED, and applies no default, when availableWhen() is false', async () => {
      await start(({ where }) => [
        where('position')
          .default(3)
          .availableWhen(({ header }) => header('x-staff') === 'yes'),
      ])
      expect(await ids('')).to.have.length(5)
      expectUnrecognized(await client.get('/books?filter[position]=2'), 'position')
      const staff = { 'x-staff': 'yes' }
      expect(readKeys(await client.get('/books', staff))).to.deep.equal(['3', '5'])
      expect(readKeys(await client.get('/books?filter[position]=2', staff))).to.deep.equal(['2'])
    })

    it('applies the first of two filters with the same key', async () => {
      await start(({ where, contains }) => [contains('title'), where('title')])
      expect(await ids('filter[title]=mm')).to.deep.equal(['2'])
    })
  })

  describe('on a relation', () => {
    const declared: BookFilters = ({ contains, where }) => [contains('title'), where('position').default(3)]

    it('accepts filters of the related type and of the relation, which win, on GET /{type}/{id}/{rel}', async () => {
      await start(declared)
      const related = async (query: string) => readKeys(await client.get(`/shelves/2/books?${query}`))
      expect(await related('')).to.deep.equal(['3'])
      expect(await related('filter[position]=')).to.deep.equal(['3', '4'])
      expect(await related('filter[position]=&filter[title]=Howl')).to.deep.equal(['3'])
      expect(await related('filter[position]=&filter[title]=ow')).to.deep.equal([])
      expect(await related('filter[position]=&filter[above]=1')).to.deep.equal(['3'])
      expectUnrecognized(await client.get('/books?filter[above]=1'), 'above')
    })

    it('filters linkage, with page links to the relationship URL', async () => {
      await start(declared)
      const bare = await client.get('/shelves/2/relationships/books')
      expect(readKeys(bare)).to.deep.equal(['3', '4'])
      const { body } = await client.get('/shelves/2/relationships/books?filter[position]=&page[size]=1')
      expect(body.data).to.deep.equal([{ type: 'books', id: 'b-3' }])
      expect(new URL(body.links.next).pathname).to.equal('/shelves/2/relationships/books')
      expect(new URL(body.links.next).searchParams.get('filter[position]')).to.equal('')
      expect(readKeys(await client.get('/shelves/2/relationships/books?sort=title'))).to.deep.equal(['3'])
    })

    it('returns null for a to-one that does not match a sent filter, but not for a default', async () => {
      await start(declared, {}, { shelves: { filters: ({ where }) => [where('name').default('Poetry')] } })
      expect((await client.get('/books/b-1/shelf')).body.data.id).to.equal('1')
      expect((await client.get('/books/b-1/shelf?filter[name]=Fiction')).body.data.id).to.equal('1')
      for (const path of ['/books/b-1/shelf', '/books/b-1/relationships/shelf']) {
        const { status, body } = await client.get(`${path}?filter[name]=Poetry`)
        expect(status).to.equal(200)
        expect(body.data).to.equal(null)
      }
    })

    it('applies defaults to an included collection only if it is paged', async () => {
      await start(declared)
      expect((await client.get('/books/b-1')).status).to.equal(200)
      const { body } = await client.get('/shelves/2?include=books,pages')
      const linkage = (name: string) => body.data.relationships[name].data.map(({ id }: { id: string }) => id)
      expect(linkage('books')).to.deep.equal(['b-3', 'b-4'])
      expect(linkage('pages')).to.deep.equal(['b-3'])
    })

    it('filters and sorts by pivot fields', async () => {
      await start(() => [])
      const listed = async (query: string) => readKeys(await client.get(`/lists/1/books?${query}`))
      expect(await listed('')).to.deep.equal(['2', '1', '3'])
      expect(await listed('sort=place')).to.deep.equal(['3', '2', '1'])
      expect(await listed('sort=-place')).to.deep.equal(['1', '2', '3'])
      expect(await listed('filter[place]=2')).to.deep.equal(['2'])
      expect(await listed('filter[from]=2&sort=place')).to.deep.equal(['2', '1'])
      expect(await listed('filter[noted]=')).to.deep.equal(['3'])
      expect(await listed('filter[place]=9')).to.deep.equal(['1'])
      expectInvalid(await client.get('/lists/1/books?filter[place]=two'), 'place')
      expectUnrecognized(await client.get('/books?filter[place]=2'), 'place')
    })

    it('returns 400 QUERY_PARAM_UNRECOGNIZED for a query of linkage with pivot fields', async () => {
      await start(() => [])
      for (const family of ['filter[place]=2', 'sort=place', 'page[size]=1']) {
        const answer = await client.get(`/lists/1/relationships/books?${family}`)
        expectFilterError(answer, 'QUERY_PARAM_UNRECOGNIZED', family.replace(/[[=].*/, ''))
      }
      expect(readKeys(await client.get('/lists/1/relationships/books'))).to.deep.equal(['2', '1', '3'])
    })
  })

  describe('with an unknown key or an invalid value', () => {
    const declared: BookFilters = ({ where, numeric, range, whereIn }) => [
      where('title')
        .pattern('[A-Z].*')
        .pattern(/.{0,10}/),
      numeric('rating'),
      where('count', 'position').integer(),
      where('shelf', 'title').uuid(4),
      range('position').numeric(),
      whereIn('list', 'position').integer(),
    ]

    it('returns one 400 FILTERING_UNRECOGNIZED per unknown key', async () => {
      await start(declared)
      expectUnrecognized(await client.get('/books?filter[nope]=1'), 'nope')
      const { body } = await client.get('/books?filter[nope]=1&filter[__proto__]=2&filter[title]=A')
      expect(body.errors.map(({ source }: ErrorLike) => source.parameter)).to.have.members([
        'filter[nope]',
        'filter[__proto__]',
      ])
    })

    it('lists the accepted filters and suggests the nearest in the detail of an unknown key', async () => {
      await start(declared)
      const detailOf = async (path: string) => (await client.get(path)).body.errors[0].detail
      const filters = 'Filters here: title, rating, count, shelf, position, list.'
      expect(await detailOf('/books?filter[nope]=1')).to.equal(`Cannot filter by 'nope'. ${filters}`)
      expect(await detailOf('/books?filter[Titel]=1')).to.equal(
        `Cannot filter by 'Titel'. ${filters} Did you mean 'title'?`,
      )
      expect(await detailOf('/books/b-1?filter[nope]=1')).to.equal("Cannot filter by 'nope'. Filters here: none.")
    })

    it('does not list filters that are unavailable to the caller or read hidden fields', async () => {
      await start(
        ({ where }) => [where('title'), where('position').availableWhen(({ header }) => header('x-staff') === 'yes')],
        {},
        {
          books: {
            fields: ({ id, string }) => [id(), string('title').hiddenFor(({ header }) => header('x-staff') !== 'yes')],
          },
        },
      )
      const detailFor = async (headers: Record<string, string>) =>
        (await client.get('/books?filter[nope]=1', headers)).body.errors[0].detail
      expect(await detailFor({})).to.equal("Cannot filter by 'nope'. Filters here: none.")
      expect(await detailFor({ 'x-staff': 'yes' })).to.equal("Cannot filter by 'nope'. Filters here: title, position.")
    })

    it('returns 400 QUERY_PARAM_MALFORMED when filter is not a map of keys', async () => {
      await start(declared)
      for (const query of ['filter=x', 'filter', 'filter[]=x', 'filter[a][b][c][d][e][f]=x']) {
        expectFilterError(await client.get(`/books?${query}`), 'QUERY_PARAM_MALFORMED', 'filter')
      }
    })

    it('returns one 400 FILTER_VALUE_INVALID per violated rule', async () => {
      await start(declared)
      expectInvalid(await client.get('/books?filter[rating]=1e3'), 'rating')
      expectInvalid(await client.get('/books?filter[count]=1.5'), 'count')
      expectInvalid(await client.get('/books?filter[count]='), 'count')
      expectInvalid(await client.get('/books?filter[shelf]=11111111-1111-1111-8111-111111111111'), 'shelf')
      expectInvalid(await client.get('/books?filter[title]=a text that is too long'), 'title', 2)
      expectInvalid(await client.get('/books?filter[list]=1,x,y'), 'list', 2)
      expectInvalid(await client.get('/books?filter[position][min]=a&filter[position][max]=b'), 'position', 2)
    })

    it('returns one error per violation of Joi schemas', async () => {
      await start(({ where, whereIn }) => [
        where('title').constrain(Joi.string().max(4).alphanum(), Joi.string().pattern(/^[A-Z]/)),
        whereIn('position').constrain(Joi.number().max(2)),
      ])
      expect(await ids('filter[title]=Emma')).to.deep.equal(['2'])
      expectInvalid(await client.get('/books?filter[title]=em-ma'), 'title', 3)
      expect(await ids('filter[position]=1,2')).to.deep.equal(['1', '2', '4'])
      const rejected = await client.get('/books?filter[position]=1,3,4')
      expectInvalid(rejected, 'position', 2)
      expect(rejected.body.errors[0].detail).to.equal(
        "The value of the filter 'position' is not allowed: must be less than or equal to 2.",
      )
    })

    it('returns 400 FILTER_VALUE_INVALID for a list or a map where it is not accepted', async () => {
      await start(declared)
      expectInvalid(await client.get('/books?filter[rating][]=1'), 'rating')
      expectInvalid(await client.get('/books?filter[list][x]=1'), 'list')
      expectInvalid(await client.get('/books?filter[position]=1'), 'position')
      expectInvalid(await client.get('/books?filter[position][from]=1'), 'position')
      expectInvalid(await client.get('/books?filter[position][min][]=1'), 'position')
    })

    it('returns errors of values, keys and sort in one document, without an SQL statement', async () => {
      await start(declared)
      const statements = await statementsOf(async () => {
        const { body } = await client.get('/books?filter[nope]=1&filter[rating]=x&sort=nope')
        expect(body.errors.map(({ code }: ErrorLike) => code)).to.have.members([
          'FILTERING_UNRECOGNIZED',
          'FILTER_VALUE_INVALID',
          'SORTING_UNRECOGNIZED',
        ])
      })
      expect(statements).to.deep.equal([])
    })

    it('returns 400 FILTERING_UNRECOGNIZED on GET, PATCH and DELETE of one resource, and on POST', async () => {
      await start(declared)
      const data = { type: 'books', id: 'b-1', attributes: { title: 'Ulysses' } }
      expectUnrecognized(await client.get('/books/b-1?filter[title]=A'), 'title')
      expectUnrecognized(await client.patch('/books/b-1?filter[title]=A', { data }), 'title')
      expectUnrecognized(await client.post('/books?filter[title]=A', { data: { type: 'books' } }), 'title')
      expectUnrecognized(await client.delete('/books/b-1?filter[title]=A'), 'title')
    })

    it('returns 400 QUERY_PARAM_UNRECOGNIZED on a relationship write', async () => {
      await start(declared)
      const answer = await client.patch('/books/b-1/relationships/shelf?filter[name]=A', { data: null })
      expectFilterError(answer, 'QUERY_PARAM_UNRECOGNIZED', 'filter')
    })
  })

  it('returns the total of matching rows, and keeps the filter in page links', async () => {
    const counted = { pagination: () => page({ size: 1, withCount: true }) }
    await start(({ contains }) => [contains('title')], {}, { books: counted })
    const { body } = await client.get('/books?filter[title]=m')
    expect(body.meta.total).to.equal(2)
    expect(new URL(body.links.last).searchParams.get('filter[title]')).to.equal('m')
  })

  it('returns 400 QUERY_PARAM_UNRECOGNIZED, and applies no default, when the plugin is disabled', async () => {
    await start(({ where }) => [where('position').default(3)], { disabled: ['filtering', 'soft-delete'] })
    expectFilterError(await client.get('/books?filter[position]=2'), 'QUERY_PARAM_UNRECOGNIZED', 'filter')
    expect(await ids('')).to.have.length(5)
  })

  it('is listed in app/plugins.ts after cursor-profile, whose pages it filters', () => {
    const names = plugins.map(({ name }) => name)
    expect(names.indexOf('filtering')).to.be.greaterThan(names.indexOf('cursor-profile'))
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

class FictionOnly extends OpenPolicy {
  override scope = () => ({ name: 'Fiction' })
}

interface Overrides {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
}

function declare(filters: (builders: FilterBuilders<Book>) => ReturnType<BookFilters>, overrides: Overrides) {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id().encodeUsing({
        encode: (key: number) => `b-${key}`,
        decode: (wire) => (wire.startsWith('b-') ? wire.slice(2) : null),
      }),
      string('title').sortable(),
      belongsTo('shelf', 'shelves'),
      belongsToMany('tags', 'tags'),
    ],
    filters,
    ...overrides.books,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [
      id(),
      string('name'),
      hasMany('books', 'books').withFilters(({ where }) => [where('title'), where('above', 'position', '>')]),
      hasMany('pages', 'books')
        .storedAs('books')
        .paginate(cursor({ size: 5 })),
    ],
    ...overrides.shelves,
  })
  const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
  const lists = defineResource(ReadingList, {
    type: 'lists',
    fields: ({ id, string, belongsToMany }) => [
      id(),
      string('name'),
      belongsToMany('books', 'books')
        .through(ListEntry)
        .fields(({ integer, string }) => [integer('place'), string('remark').storedAs('note')])
        .withFilters(({ where, whereNotNull }) => [
          where('place', 'pivot.place'),
          where('from', 'pivot.place', '>='),
          whereNotNull('noted', 'pivot.remark'),
        ]),
    ],
  })
  return [books, shelves, tags, lists].map(
    (resource): DeclaredResource => ({ file: 'plugins/filtering/filtering.test.ts', resource }),
  )
}

async function fillLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'Fiction' },
    { id: 2, name: 'Poetry' },
  ])
  await em.insertMany(Book, [
    { id: 1, title: 'Ulysses', position: 1, rating: 4.5, printedAt: new Date('2001-01-01T00:00:00Z'), shelf: 1 },
    { id: 2, title: 'Emma', position: 2, rating: 4, printedAt: new Date('2002-01-01T00:00:00Z'), shelf: 1 },
    {
      id: 3,
      title: 'Howl',
      position: 3,
      rating: 3,
      secret: 'Moloch',
      printedAt: new Date('1999-01-01T00:00:00Z'),
      shelf: 2,
    },
    { id: 4, title: '100% more', position: 1, shelf: 2 },
    { id: 5, title: 'é_', position: 3 },
    { id: 6, title: 'Hidden', position: 1, shelf: 1, deletedAt: new Date() },
  ])
  await em.insertMany(Tag, [
    { id: red, name: 'red' },
    { id: blue, name: 'blue' },
  ])
  await em.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (1, '${blue}'), (3, '${red}')`)
  await em.insertMany(ReadingList, [{ id: 1, name: 'Summer' }])
  await em.insertMany(ListEntry, [
    { id: 1, list: 1, book: 2, place: 2 },
    { id: 2, list: 1, book: 1, place: 3 },
    { id: 3, list: 1, book: 3, place: 1, note: 'aloud' },
    { id: 4, list: 1, book: 1, place: 9 },
  ])
}

interface ErrorLike {
  readonly code: string
  readonly source: { readonly parameter: string }
}

/** Returns the database keys in response order. */
function readKeys({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id.replace('b-', ''))
}

function expectFilterError({ status, body }: ClientResponse, code: string, parameter: string, count = 1): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(count)
  for (const error of body.errors) expect(error).to.deep.include({ status: '400', code, source: { parameter } })
}

function expectUnrecognized(answer: ClientResponse, key: string): void {
  expectFilterError(answer, 'FILTERING_UNRECOGNIZED', `filter[${key}]`)
}

function expectInvalid(answer: ClientResponse, key: string, count = 1): void {
  expectFilterError(answer, 'FILTER_VALUE_INVALID', `filter[${key}]`, count)
}
