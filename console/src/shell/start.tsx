import { Navigate } from '@tanstack/react-router';
import { firstScreen } from './screens.ts';
import { useSession } from './use-session.ts';

/** Leads from the address of the console to its first screen. */
export function Start() {
  const { scopes } = useSession();
  return <Navigate to={firstScreen(scopes)} replace />;
}
