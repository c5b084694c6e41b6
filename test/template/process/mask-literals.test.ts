import { expect } from 'chai'
import { maskLiterals } from '#store/driver/mask-literals.ts'

describe('maskLiterals', () => {
  const cases: readonly [what: string, sql: string, masked: string][] = [
    [
      'keeps placeholders, names and casts',
      'select t0."id" from a t0 where b = $1::int4',
      'select t0."id" from a t0 where b = $1::int4',
    ],
    ['replaces strings', "update a set b = 'it''s', c = ''", 'update a set b = ?, c = ?'],
    ['replaces strings with backslash escapes', String.raw`select E'it\'s -- ', e'\\', n'x', U&'d\0061'`, 'select ?'],
    ['replaces a string that ends with a backslash', String.raw`select 'a\', "b"`, 'select ?, "b"'],
    ['replaces numbers of every form', 'select -1, 2.5, .5, 1e21, 1E-7 from t1', 'select -? from t1'],
    ['replaces booleans and keeps null', 'select true, x is null, FALSE, trueness', 'select ?, x is null, ?, trueness'],
    ['replaces dollar-quoted strings', 'select $$a$$, $tag$ $$ b $tag$, $1', 'select ?, $1'],
    ['removes comments', "select 1 -- secret\n, /* 'secret' */ a", 'select ?  \n,   a'],
    [
      'keeps quoted names with quotes, digits and apostrophes',
      `select "it's ""2""" from "t'2"`,
      `select "it's ""2""" from "t'2"`,
    ],
    ['masks an unterminated string to the end', "select 'secret from a", 'select ?'],
    ['masks an unterminated comment to the end', 'select a /* secret', 'select a  '],
    ['shortens lists', "select a in (1, 'b', 3)", 'select a in (?)'],
    [
      'shortens the rows of a multi-row insert',
      'insert into a values (1, $1, default), (2, $1, default)',
      'insert into a values (?, $1, default)',
    ],
  ]
  for (const [what, sql, masked] of cases) {
    it(`${what}: ${sql}`, () => expect(maskLiterals(sql)).to.equal(masked))
  }

  it('cuts long statements, also inside a string', () => {
    const masked = maskLiterals(`select ${'a, '.repeat(6_000)}'${'secret'.repeat(1_000)}'`)
    expect(masked).to.have.length(4_001)
    expect(maskLiterals(`select '${'secret'.repeat(10_000)}'`)).to.equal('select ?…')
  })
})
