/** Finds the test cases of JavaScript and TypeScript: calls such as `test('adds', () => …)`. Their texts are names. */
import type { Node } from 'web-tree-sitter';

interface TestCall {
  /** The node with the name, between quotes. */
  name: Node;
  body: Node;
  /** True if the call contains test cases, such as `describe`. */
  isGroup: boolean;
}

/** Matches the function of a call up to its arguments: `it`, `t.test`, `describe.only`, `it.each`. */
const TESTER = new RegExp(
  /^(?:(?:t|QUnit|Deno)\.)?(?:(describe|suite|context)|it|test|specify|bench)/.source +
    /(?:\.(?:(describe)|only|skip|skipIf|runIf|each|for|concurrent|sequential|serial|parallel|fails))*[(`]/.source,
);
const TESTER_UNITS = 60;

/** Returns a call that is a test case or a group of them. */
export function testCall(node: Node, text: string): TestCall | undefined {
  if (node.type !== 'call_expression') return undefined;
  const match = TESTER.exec(text.slice(node.startIndex, node.startIndex + TESTER_UNITS));
  if (!match) return undefined;
  const values = node.childForFieldName('arguments')?.namedChildren ?? [];
  const [name] = values;
  const body = values.findLast(({ type }) => type === 'arrow_function' || type === 'function_expression');
  if (!body || (name?.type !== 'string' && name?.type !== 'template_string')) return undefined;
  return { name, body: body.childForFieldName('body') ?? body, isGroup: (match[1] ?? match[2]) !== undefined };
}
