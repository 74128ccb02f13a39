import { Link } from '@tanstack/react-router';
import { buttonClass } from '../parts/button.tsx';
import { Empty } from '../parts/layout.tsx';
import { say } from '../words/words.ts';

export function NotFound() {
  return (
    <Empty icon="circle-slash" title={<h1>{say('notFound.title')}</h1>} text={say('notFound.text')}>
      <Link to="/sources" className={buttonClass()}>
        {say('notFound.action')}
      </Link>
    </Empty>
  );
}
