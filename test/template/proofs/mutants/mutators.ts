import { type Expression, type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isForOfStatement,
  isForStatement,
  isIdentifier,
  isIfStatement,
  isNumericLiteral,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isSpreadAssignment,
  isSpreadElement,
  isWhileStatement,
} from 'typescript/unstable/ast/is'

/** A changed range inside an expression; the range is the whole expression if it is left out. */
export interface Replacement {
  readonly after: string
  readonly start?: number
  readonly end?: number
}

type Mutator = (node: Node) => readonly (string | Replacement)[]

/** Returns what may replace an expression, by its syntax and by its position. */
export function listReplacements(node: Node): readonly Replacement[] {
  const results = mutators.flatMap((mutator) => mutator(node))
  const texts = new Set<string>([node.getText()])
  return results
    .map((result) => (typeof result === 'string' ? { after: result } : result))
    .filter(({ after, start }) => start !== undefined || (!texts.has(after) && texts.add(after)))
}

const mutators: readonly Mutator[] = [
  condition,
  returned,
  literal,
  comparison,
  operands,
  unary,
  arrayMethod,
  optionalChaining,
  collection,
]

/** The condition of a branch is always true, or always false; that of a loop only false, to end the loop. */
function condition(node: Node): readonly string[] {
  const { parent } = node
  if (isIfStatement(parent) && parent.expression === node) return ['true', 'false']
  if (isConditionalExpression(parent) && parent.condition === node) return ['true', 'false']
  if (isWhileStatement(parent) && parent.expression === node) return ['false']
  return isForStatement(parent) && parent.condition === node ? ['false'] : []
}

/** Replaces the result of a function: booleans by both constants, other results by undefined, calls also by true. */
function returned(node: Node): readonly string[] {
  if (!isResult(node) || hasMutants(node)) return []
  if (isBoolean(node)) return ['true', 'false']
  return isCallExpression(node) || isAwaitExpression(node) ? ['undefined', 'true'] : ['undefined']
}

function isResult(node: Node): boolean {
  const { parent } = node
  return isReturnStatement(parent) || (isArrowFunction(parent) && parent.body === node)
}

/** Returns true for results whose parts are replaced anyway. */
function hasMutants(node: Node): boolean {
  if (isParenthesizedExpression(node)) return hasMutants(node.expression)
  const isReplaced = isConditionalExpression(node) || isArrayLiteralExpression(node) || isConstant(node)
  return isReplaced || node.kind === SyntaxKind.Block
}

function isConstant(node: Node): boolean {
  const { kind } = node
  if (isIdentifier(node)) return node.text === 'undefined'
  return constants.has(kind)
}

const constants: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.StringLiteral,
  SyntaxKind.NumericLiteral,
])

function isBoolean(node: Node): boolean {
  if (isParenthesizedExpression(node)) return isBoolean(node.expression)
  if (isPrefixUnaryExpression(node)) return node.operator === SyntaxKind.ExclamationToken
  return isBinaryExpression(node) && booleanOperators.has(node.operatorToken.kind)
}

const booleanOperators: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
  SyntaxKind.InKeyword,
  SyntaxKind.InstanceOfKeyword,
])

function literal(node: Node): readonly string[] {
  if (isEquality(node.parent)) return []
  switch (node.kind) {
    case SyntaxKind.TrueKeyword:
      return ['false']
    case SyntaxKind.FalseKeyword:
      return ['true']
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
      return [node.getText().length > 2 ? "''" : "'mutant'"]
    case SyntaxKind.TemplateExpression:
      return ["''"]
    case SyntaxKind.RegularExpressionLiteral:
      return ['/(?:)/g', '/(?!)/g']
    default:
      return isNumericLiteral(node) ? [String(Number(node.text.replaceAll('_', '')) + 1)] : []
  }
}

const otherOperators = new Map(
  Object.entries({
    '===': ['!=='],
    '!==': ['==='],
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '+=': ['-='],
    '-=': ['+='],
    '??=': ['='],
  }),
)

function comparison(node: Node): readonly Replacement[] {
  if (!isBinaryExpression(node) || (isEquality(node) && isReplacedByConstants(node))) return []
  const { operatorToken } = node
  const others = otherOperators.get(operatorToken.getText()) ?? []
  return others.map((after) => ({ after, start: operatorToken.getStart(), end: operatorToken.getEnd() }))
}

function isEquality(node: Node): boolean {
  return isBinaryExpression(node) && ['===', '!=='].includes(node.operatorToken.getText())
}

/** Returns true for conditions and boolean results: tests that need both values also detect a negation. */
function isReplacedByConstants(node: Node): boolean {
  return condition(node).length === 2 || (isResult(node) && isBoolean(node))
}

/** Leaves out one side of a logical operator: one check fewer, or no default. */
function operands(node: Node): readonly string[] {
  if (!isBinaryExpression(node) || !['&&', '||', '??'].includes(node.operatorToken.getText())) return []
  return [node.left.getText(), node.right.getText()]
}

function unary(node: Node): readonly string[] {
  if (!isPrefixUnaryExpression(node) || isReplacedByConstants(node)) return []
  const isNegation = node.operator === SyntaxKind.ExclamationToken || node.operator === SyntaxKind.MinusToken
  return isNegation ? [node.operand.getText()] : []
}

const otherMethods = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    min: 'max',
    max: 'min',
    unshift: 'push',
    push: 'unshift',
  }),
)
const droppedMethods: ReadonlySet<string> = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'trim', 'flat'])

/** Replaces a method by its opposite, or leaves out a call that narrows or orders its receiver. */
function arrayMethod(node: Node): readonly Replacement[] {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return []
  const { name, expression: receiver } = node.expression
  const other = otherMethods.get(name.getText())
  if (other) return [{ after: other, start: name.getStart(), end: name.getEnd() }]
  if (!droppedMethods.has(name.getText())) return []
  return [{ after: '', start: receiver.getEnd(), end: node.getEnd() }]
}

function optionalChaining(node: Node): readonly Replacement[] {
  const isLink = isPropertyAccessExpression(node) || isElementAccessExpression(node) || isCallExpression(node)
  if (!isLink || !node.questionDotToken) return []
  const start = node.questionDotToken.getStart()
  return isPropertyAccessExpression(node)
    ? [{ after: `.${node.name.getText()}`, start, end: node.name.getEnd() }]
    : [{ after: '', start, end: start + 2 }]
}

/** Empties a list, what is spread into a list or an object, and the rows of a loop. */
function collection(node: Node): readonly string[] {
  const { parent } = node
  if (isSpreadElement(parent)) return ['[]']
  if (isSpreadAssignment(parent)) return ['{}']
  if (isForOfStatement(parent) && parent.expression === node) return ['[]']
  return isArrayLiteralExpression(node) && node.elements.length > 0 ? ['[]'] : []
}

/** Returns whether an expression is the start of a longer chain of members and calls. */
export function isInsideChain(node: Node): boolean {
  const { parent } = node
  const isLink = isPropertyAccessExpression(parent) || isElementAccessExpression(parent) || isCallExpression(parent)
  return isLink && (parent.expression as Expression | Node) === node
}
