import { expect } from 'chai'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { defineType } from '#kernel'
import { memoryStore } from '#memory'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { atomicHeaders } from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'

const { limits: defaults, variables } = appConfig(readConfig({ NODE_ENV: 'test' }, pluginVariables(plugins, {})))
const names = (count: number) => Array.from({ length: count }, (_, index) => `${index.toString(36)}`)

describe('Limits of a query', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const expectRefused = ({ status, text, body }: ClientResponse, parameter: string, detail: string) => {
    expect(status).to.equal(400)
    expect(Buffer.byteLength(text)).to.be.below(1000)
    expect(body.errors).to.have.length(1)
    expect(body.errors[0]).to.deep.include({ code: 'QUERY_TOO_LARGE', source: { parameter }, detail })
  }

  it('returns 400 QUERY_TOO_LARGE when sort has 4,000 unknown keys', async () => {
    const response = await client.get(`/albums?sort=${names(4000)}`)
    expectRefused(response, 'sort', "'sort' has 4000 sort keys; at most 10 are accepted.")
  })

  it('counts the joined list when a list parameter is repeated', async () => {
    const repeated = (name: string, count: number) =>
      names(count)
        .map((key) => `${name}=${key}`)
        .join('&')
    const sort = await client.get(`/albums?${repeated('sort', 11)}`)
    expectRefused(sort, 'sort', "'sort' has 11 sort keys; at most 10 are accepted.")
    const includePaths = 50
    const include = await client.get(`/albums?${repeated('include', includePaths + 1)}`)
    expectRefused(
      include,
      'include',
      `'include' has ${includePaths + 1} include paths; at most ${includePaths} are accepted.`,
    )
  })

  it('returns 400 QUERY_TOO_LARGE when the query has 3,900 unknown parameters', async () => {
    const response = await client.get(`/albums?${names(3900).join('&')}`)
    expectRefused(response, names(3900)[200] as string, 'The query has 3900 parameters; at most 200 are accepted.')
  })

  it('returns 400 QUERY_TOO_LARGE when the query of a batch has 3,900 parameters', async () => {
    const operations = [{ op: 'remove', ref: { type: 'albums', id: '1' } }]
    const path = `/operations?${names(3900).join('&')}`
    const { status, body } = await client.post(path, { 'atomic:operations': operations }, atomicHeaders)
    expect(status).to.equal(400)
    expect(body.errors[0].code).to.equal('QUERY_TOO_LARGE')
  })

  it('returns an error for each of 200 unknown parameters, up to 100 with meta.truncated', async () => {
    const { status, body } = await client.get(`/albums?${names(200).join('&')}`)
    expect(status).to.equal(400)
    expect(body.errors).to.have.length(100)
    expect(body.meta).to.deep.equal({ truncated: true })
  })

  it('returns 400 QUERY_TOO_LARGE when include has 51 paths, also if they are equal', async () => {
    const response = await client.get(`/albums?include=${Array.from({ length: 51 }, () => 'tracks')}`)
    expectRefused(response, 'include', "'include' has 51 include paths; at most 50 are accepted.")
  })

  it('returns 400 when an include path has 60 relationships, each to three types', async () => {
    const types = ['ones', 'twos', 'threes']
    const resources = types.map((type) => ({
      file: 'test/template/kernel/limits/query-limits.test.ts',
      resource: defineType<{ id: string; next: object }>({
        type,
        operations: ['FetchCollection'],
        fields: ({ id, morphTo }) => [id(), morphTo('next', types as [string, string])],
        ...memoryStore([]),
      }),
    }))
    const other = await startApp({ resources })
    try {
      const path = Array.from({ length: 60 }, () => 'next').join('.')
      const { status, body } = await other.client.get(`/ones?include=${path}`)
      expect(status).to.equal(400)
      expect(body.errors[0].code).to.equal('INCLUSION_DEPTH_EXCEEDED')
    } finally {
      await other.close()
    }
  })

  it('returns 400 QUERY_TOO_LARGE when a filter has 101 values, as a comma-separated list or as members', async () => {
    const list = await client.get(`/tracks?filter[genres]=${names(101)}`)
    expectRefused(list, 'filter[genres]', "'filter[genres]' has 101 values; at most 100 are accepted.")
    const single = await client.get(
      `/tracks?${names(101)
        .map((name) => `filter[genres][]=${name}`)
        .join('&')}`,
    )
    expectRefused(single, 'filter[genres]', "'filter[genres]' has 101 values; at most 100 are accepted.")
    expect((await client.get(`/tracks?filter[genres]=${names(100)}`)).status).to.equal(200)
  })

  it('returns 400 QUERY_TOO_LARGE without a statement when a search has 1,000 words', async () => {
    const { statements, response } = await statementsDuring(() =>
      client.get(`/albums?filter[q]=${names(1000).join('+')}`),
    )
    expectRefused(response, 'filter[q]', "'filter[q]' has 1000 search words; at most 10 are accepted.")
    expect(statements).to.equal(0)
    expect((await client.get('/albums?filter[q]=a+b+c+d+e+f+g+h+i+j')).status).to.equal(200)
  })

  it('returns 400 QUERY_TOO_LARGE when fields or withCount have 201 names', async () => {
    const fields = await client.get(`/albums?fields[albums]=${names(201)}`)
    expectRefused(fields, 'fields[albums]', "'fields[albums]' has 201 names; at most 200 are accepted.")
    const counts = await client.get(`/albums?withCount=${names(201)}`)
    expectRefused(counts, 'withCount', "'withCount' has 201 names; at most 200 are accepted.")
  })

  it('returns 400 QUERY_TOO_LARGE when a relatedQuery has 11 sort keys, 101 values or 11 search words', async () => {
    const accept = { accept: `${mediaType}; profile="${relationshipQueriesProfileUri}"` }
    const sorted = await client.get(`/albums?rQ[tracks][sort]=${names(11)}`, accept)
    expectRefused(sorted, 'rQ[tracks][sort]', "'rQ[tracks][sort]' has 11 sort keys; at most 10 are accepted.")
    const listed = await client.get(`/albums?relatedQuery[tracks][filter][genres]=${names(101)}`, accept)
    const parameter = 'relatedQuery[tracks][filter][genres]'
    expectRefused(listed, parameter, `'${parameter}' has 101 values; at most 100 are accepted.`)
    const found = await client.get(`/albums?rQ[tracks][filter][q]=${names(11).join('+')}`, accept)
    const words = 'rQ[tracks][filter][q]'
    expectRefused(found, words, `'${words}' has 11 search words; at most 10 are accepted.`)
  })

  it('returns 400 QUERY_TOO_LARGE when relationship queries have more than 2,000 characters together', async () => {
    const accept = { accept: `${mediaType}; profile="${relationshipQueriesProfileUri}"` }
    const getTracks = (length: number) => {
      const list = ['rock', ...Array.from({ length: 90 }, (_, index) => `${index}`.padEnd(length, 'x'))]
      return client.get(`/albums?include=tracks&rQ[tracks][filter][genres]=${list}`, accept)
    }
    const { statements, response } = await statementsDuring(() => getTracks(160))
    expect(statements).to.equal(0)
    const parameter = 'rQ[tracks][filter]'
    expectRefused(response, parameter, `'${parameter}' has 14693 characters; at most 2000 are accepted.`)
    expect((await getTracks(16)).body.data[0].relationships.tracks.links.first).to.include('rock')
  })

  it('returns limit and number in the German detail', async () => {
    const german = { 'accept-language': 'de' }
    const detailOf = async (query: string) => (await client.get(`/tracks?${query}`, german)).body.errors[0].detail
    expect(await detailOf(names(201).join('&'))).to.equal('Die Abfrage hat 201 Parameter; erlaubt sind höchstens 200.')
    const list = (of: string, items: string, count: number, limit: number) =>
      `„${of}“ hat ${count} ${items}; erlaubt sind höchstens ${limit}.`
    expect(await detailOf(`sort=${names(11)}`)).to.equal(list('sort', 'Sortierschlüssel', 11, 10))
    expect(await detailOf(`include=${names(51)}`)).to.equal(list('include', 'Pfade', 51, 50))
    expect(await detailOf(`withCount=${names(201)}`)).to.equal(list('withCount', 'Namen', 201, 200))
    expect(await detailOf(`filter[genres]=${names(101)}`)).to.equal(list('filter[genres]', 'Werte', 101, 100))
    expect(await detailOf(`filter[q]=${names(11).join('+')}`)).to.equal(list('filter[q]', 'Suchwörter', 11, 10))
  })

  describe('limits of 0', () => {
    let other: TestApp

    before(async () => {
      const off = { MAX_FILTER_VALUES: 0, MAX_SORT_KEYS: 0, MAX_INCLUDE_PATHS: 0, MAX_SEARCH_WORDS: 0 }
      const config = { limits: { ...defaults, queryParameters: 0 }, variables: { ...variables, ...off } }
      other = await startApp({ config })
    })
    after(() => other.close())

    it('returns the errors of the entries, up to 100 with meta.truncated', async () => {
      for (const [query, code] of [
        [`sort=${names(4000)}`, 'SORTING_UNRECOGNIZED'],
        [names(3900).join('&'), 'QUERY_PARAM_UNRECOGNIZED'],
      ] as const) {
        const { status, body } = await other.client.get(`/albums?${query}`)
        expect(status).to.equal(400)
        expect(body.errors).to.have.length(100)
        expect(body.errors[0].code).to.equal(code)
        expect(body.meta).to.deep.equal({ truncated: true })
      }
    })

    it('returns 200 when a search has 11 words', async () => {
      expect((await other.client.get(`/albums?filter[q]=${names(11).join('+')}`)).status).to.equal(200)
    })
  })

  it('does not limit queries of app.dispatch', async () => {
    const { app } = await catalogue()
    const query = { filter: { q: names(11).join(' ') } }
    expect((await app.dispatch({ kind: 'FetchCollection', type: 'albums', query })).status).to.equal(200)
  })

  const statementsDuring = async (run: () => Promise<ClientResponse>) => {
    let response: ClientResponse | undefined
    const statements = await statementsOf(async () => {
      response = await run()
    })
    return { statements: statements.length, response: response as ClientResponse }
  }
})
