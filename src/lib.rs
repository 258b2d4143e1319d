//! ifs
